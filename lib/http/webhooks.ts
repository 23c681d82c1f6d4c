/** Webhooks (N-27…N-34): verified over the bytes, mapped by configuration, accepted into an inbox, answered. */
import type { WebhookConfig } from "../config/deployment.js";
import type { Intake } from "../intake/types.js";
import type { Receipt } from "../session/arrival.js";
import type { Clock } from "../session/ports.js";
import type { AccessEntry, AccessLog } from "./access-log.js";
import { isRecord, requireSize } from "./content.js";
import { InvalidSignatureError, NotFoundError } from "./errors.js";
import { matchPath, PATHS } from "./paths.js";
import { isOurFault, problemOf, problemResponse } from "./problem.js";
import { isSignatureValid } from "./signatures.js";
import type { HttpHandler, HttpRequest, HttpResponse } from "./types.js";
import { dedupeKey, type HookBody, hookBody, hookFiring } from "./webhook-body.js";

export interface WebhooksOptions {
  intake: Intake;
  /** By `<workflow>/<trigger>`. */
  webhooks: Readonly<Record<string, WebhookConfig>>;
  /** The value of a secret's reference; whoever resolves it keeps it. */
  secrets: (reference: string) => Promise<string>;
  clock: Clock;
  log?: AccessLog;
  /** 1 MB unless set lower (N-6). */
  maxBodyBytes?: number;
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Answers `POST /hooks/{workflow}/{trigger}`. No turn runs before the answer (N-33, F-80), and nothing of a body is read
 * before its signature (N-29).
 */
export function createWebhooks(options: WebhooksOptions): HttpHandler {
  const { clock, log = () => {} } = options;
  return async (request) => {
    const startedAt = clock.now();
    const seen: Partial<AccessEntry> = {};
    const response = await received(options, request, seen).catch((error: unknown) => {
      seen.code = problemOf(error).code;
      if (isOurFault(error)) seen.error = error;
      return problemResponse(error, request);
    });
    const { method, requestId } = request;
    log({
      method,
      route: PATHS.hook,
      status: response.status,
      durationMs: clock.now() - startedAt,
      requestId,
      ...seen,
    });
    return response;
  };
}

/** In the order of N-29. */
async function received(
  options: WebhooksOptions,
  request: HttpRequest,
  seen: Partial<AccessEntry>,
): Promise<HttpResponse> {
  const { intake } = options;
  const { workflow, trigger: triggerId, hook } = hookAt(options.webhooks, request);
  requireSize(request.body.length, options.maxBodyBytes ?? MAX_BODY_BYTES, "A webhook's body");
  await verified(options, hook, request);

  const body = hookBody(hook, request);
  const challenge = challengeOf(hook, body);
  if (challenge !== null) return textResponse(challenge, request);
  // Two hooks' senders may count alike.
  const scope = `${workflow}/${triggerId}`;
  const key = dedupeKey(hook, request, body);
  const known = await intake.known("webhook", key, scope);
  if (known) return told(known, "duplicate", request, seen);

  const trigger = (await intake.workflows.find(workflow))?.machine.triggers.get(triggerId);
  if (!trigger) throw new NotFoundError();
  const firing = hookFiring(hook, { workflow, trigger, body });
  const { receipt, repeated } = await intake.fire(firing, { source: "webhook", scope, key });
  return told(receipt, repeated ? "duplicate" : "accepted", request, seen);
}

/** N-27: what is not declared, and any method but POST, is one and the same nothing. */
function hookAt(webhooks: WebhooksOptions["webhooks"], { method, path }: HttpRequest) {
  const params = pathParams(path);
  const name = `${params?.workflow}/${params?.trigger}`;
  const hook = params && Object.hasOwn(webhooks, name) ? webhooks[name] : undefined;
  if (method !== "POST" || !hook || !params) throw new NotFoundError();
  return { workflow: params.workflow ?? "", trigger: params.trigger ?? "", hook };
}

function pathParams(path: string): Record<string, string> | null {
  try {
    return matchPath(PATHS.hook, path);
  } catch {
    return null;
  }
}

async function verified(
  { secrets, clock }: WebhooksOptions,
  { verify }: WebhookConfig,
  { headers, body }: HttpRequest,
): Promise<void> {
  const references = verify.scheme === "none" ? [] : verify.secrets;
  const fetched = await Promise.allSettled(references.map((reference) => secrets(reference)));
  const resolved = fetched.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  if (isSignatureValid(verify, { headers, body, secrets: resolved, now: clock.now() })) return;
  // One that is being withdrawn stops nobody who signs with another; but it may be what this sender signed with.
  const missing = fetched.find((one) => one.status === "rejected");
  throw missing ? missing.reason : new InvalidSignatureError();
}

/** N-33: how Slack asks whether an address is ours. */
function challengeOf({ verify }: WebhookConfig, { value }: HookBody): string | null {
  if (verify.scheme !== "slack" || !isRecord(value) || value.type !== "url_verification") return null;
  return typeof value.challenge === "string" ? value.challenge : null;
}

function told(
  receipt: Receipt,
  status: "accepted" | "duplicate",
  request: HttpRequest,
  seen: Partial<AccessEntry>,
): HttpResponse {
  const { arrivalId: turnId, sessionId, seq } = receipt;
  seen.sessionId = sessionId;
  return {
    status: status === "accepted" ? 202 : 200,
    headers: { "Content-Type": "application/json", "X-Request-Id": request.requestId, "Cache-Control": "no-store" },
    body: JSON.stringify({ status, turnId, sessionId, seq }),
  };
}

function textResponse(body: string, { requestId }: HttpRequest): HttpResponse {
  return { status: 200, headers: { "Content-Type": "text/plain; charset=utf-8", "X-Request-Id": requestId }, body };
}
