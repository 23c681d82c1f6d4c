/** What brings an input to a session (N-7…N-10, N-13, N-14), each through one call of the intake. */
import type { Accepted, AcceptOptions, Firing } from "../../intake/types.js";
import type { ArrivalInput } from "../../session/arrival.js";
import { InvalidTurnFileError, SessionNotParkedError, StaleDecisionError } from "../../session/errors.js";
import { canonicalJson, sha256Hex } from "../../session/fingerprint.js";
import { type Answer, type Call, type Handlers, requireWorkflow, sessionIdOf } from "../call.js";
import { requireSize } from "../content.js";
import { isApprover, type Principal } from "../credentials.js";
import {
  ForbiddenError,
  InvalidRequestError,
  ModelNotAllowedError,
  NotAnApproverError,
  NotFoundError,
} from "../errors.js";
import { idempotencyKey } from "../negotiation.js";
import { ROUTES, type RouteName } from "../routes.js";
import { bytesFromBase64 } from "../validation.js";
import { answeredTurn } from "./answered-turn.js";

type ArrivalRoute = "startSession" | "sendTurn" | "decide" | "reply" | "deliver";
type TurnCall = Call<"startSession"> | Call<"sendTurn">;

export const arrivalHandlers: Pick<Handlers, ArrivalRoute> = {
  async startSession(call) {
    const { params, body, intake } = call;
    const { workflow = "" } = params;
    requireWorkflow(call.principal, workflow);
    const { sessionId, sessionPath } = body;
    const firing: Firing = {
      workflow,
      ...turnMembers(call),
      files: filesOf(call),
      ...(sessionId === undefined ? {} : { sessionId }),
      ...(sessionPath === undefined ? {} : { sessionPath }),
    };
    return accepted(call, await intake.fire(firing, optionsOf(call)));
  },

  async sendTurn(call) {
    const sessionId = sessionIdOf(call);
    const { workflow } = call.body;
    await requireReach(call, sessionId, workflow);
    const input: ArrivalInput = { kind: "turn", ...turnMembers(call) };
    return acceptedFor(call, { sessionId, workflow, input, files: filesOf(call) });
  },

  async decide(call) {
    const sessionId = sessionIdOf(call);
    const { target = "", comment, seq, park: named } = call.body;
    const session = await call.intake.sessions.get(sessionId);
    requireWorkflow(call.principal, session?.workflow);
    const pending = session?.pending?.channel === "decision" ? session.pending : undefined;
    const park = named ?? pending?.parkId;
    const options = decisionOptions(call, { sessionId, park, target });
    // Every decision names its park (S-68): the one whose approvers were asked is the one that is decided.
    if (pending && park === pending.parkId) requireApprover(call.principal, pending.approvers);
    else if (!(await isKnown(call, options))) {
      if (session === null && call.principal.workflows) throw new NotFoundError();
      throw pending && park !== undefined
        ? new StaleDecisionError(park, pending.parkId)
        : new SessionNotParkedError(sessionId, session?.status ?? null);
    }
    const input: ArrivalInput = {
      kind: "decision",
      target,
      ...(comment === undefined ? {} : { comment }),
      ...(seq === undefined ? {} : { seq }),
      ...(park === undefined ? {} : { park }),
      decidedBy: call.principal.id,
    };
    return accepted(call, await call.intake.accept({ sessionId, input }, options));
  },

  async reply(call) {
    const sessionId = sessionIdOf(call);
    await requireReach(call, sessionId);
    return acceptedFor(call, { sessionId, input: { kind: "reply", message: call.body.message } });
  },

  async deliver(call) {
    const sessionId = sessionIdOf(call);
    await requireReach(call, sessionId);
    const { trigger, variables, message } = call.body;
    const input: ArrivalInput = {
      kind: "delivery",
      trigger: trigger?.id ?? "",
      ...(variables === undefined ? {} : { variables }),
      ...(message === undefined ? {} : { message }),
    };
    return acceptedFor(call, { sessionId, input });
  },
};

async function acceptedFor(
  call: Call<ArrivalRoute>,
  arriving: { sessionId: string; workflow?: string; input: ArrivalInput; files?: Firing["files"] },
): Promise<Answer> {
  return accepted(call, await call.intake.accept(arriving, optionsOf(call)));
}

function accepted(call: Call<ArrivalRoute>, { receipt, repeated }: Accepted): Promise<Answer> {
  return answeredTurn(call, receipt, repeated ? { "Idempotency-Replayed": "true" } : {});
}

/** N-13: the caller's key, scoped to who it is; what it was used for is told by route, parameters and body. */
function optionsOf({ name, request, params, body, principal }: Call<ArrivalRoute>): AcceptOptions {
  const key = idempotencyKey(request);
  if (key === null) {
    throw new InvalidRequestError("An Idempotency-Key has 1 to 255 visible ASCII characters.");
  }
  const { method, path } = ROUTES[name];
  return {
    source: "api",
    scope: scopeOf(principal),
    ...(key === undefined ? {} : { key, fingerprint: sha256Hex(canonicalJson([method, path, params, body ?? null])) }),
  };
}

function scopeOf({ tenant = "", id }: Principal): string {
  return canonicalJson([tenant, id]);
}

function turnMembers({ body, models }: TurnCall): Pick<Firing, "message" | "trigger" | "variables" | "model"> {
  const { message, trigger, variables, model } = body;
  if (model !== undefined && !models.includes(model)) throw new ModelNotAllowedError();
  const triggerId = typeof trigger === "object" ? trigger.id : trigger;
  return {
    ...(message === undefined ? {} : { message }),
    ...(triggerId === undefined ? {} : { trigger: triggerId }),
    ...(variables === undefined ? {} : { variables }),
    ...(model === undefined ? {} : { model }),
  };
}

function filesOf({ body, limits }: TurnCall): Firing["files"] {
  if (body.files === undefined) return undefined;
  const files = Object.entries(body.files).map(([variable, { name, content }]) => {
    const bytes = bytesFromBase64(content);
    if (bytes === null) throw new InvalidTurnFileError(variable, "its content is not base64");
    return [variable, { name, content: bytes }] as const;
  });
  const total = files.reduce((sum, [, { content }]) => sum + content.length, 0);
  requireSize(total, limits.fileBytes, "The files of a request, decoded,");
  return Object.fromEntries(files);
}

/**
 * Whether the credential is for the session's workflow, and for starting it where it does not exist. Looked up only for
 * credentials that are not for all of that.
 */
async function requireReach(
  { principal, intake, name }: Call<RouteName>,
  sessionId: string,
  workflow?: string,
): Promise<void> {
  const starts = name !== "sendTurn" || principal.scopes.has("sessions:start");
  if (starts && principal.workflows === undefined) return;
  const session = await intake.sessions.get(sessionId);
  if (session === null && principal.workflows && workflow === undefined) throw new NotFoundError();
  requireWorkflow(principal, session?.workflow ?? workflow);
  if (session === null && !starts) throw new ForbiddenError(["sessions:start"]);
}

/** S-5: without a key of the caller's, the same choice at the same park by the same principal is the same decision. */
function decisionOptions(
  call: Call<"decide">,
  decision: { sessionId: string; park: string | undefined; target: string },
): AcceptOptions {
  const options = optionsOf(call);
  if (options.key !== undefined || decision.park === undefined) return options;
  const key = canonicalJson(decision);
  // What is said beside it makes it no other decision.
  return { ...options, key, fingerprint: sha256Hex(key) };
}

async function isKnown({ intake }: Call<"decide">, { source, key, scope }: AcceptOptions): Promise<boolean> {
  return key !== undefined && (await intake.known(source, key, scope)) !== null;
}

/** N-38. */
function requireApprover(principal: Principal, approvers: readonly string[] | undefined): void {
  if (!approvers || principal.scopes.has("sessions:decide:any") || isApprover(principal, approvers)) return;
  throw new NotAnApproverError();
}
