/** What a verified webhook's body says: the firing it makes (N-28) and the key that recognises its repetition (N-32). */
import type { WebhookConfig } from "../config/deployment.js";
import type { Firing } from "../intake/types.js";
import type { MachineTrigger } from "../machine/types.js";
import { canonicalJson, sha256Hex } from "../session/fingerprint.js";
import { resolveValuePath } from "../spec/index.js";
import { FORM_TYPE, JSON_TYPE, jsonFrom, requireMediaType, textFrom } from "./content.js";
import { timestampOf } from "./signatures.js";
import type { HttpRequest } from "./types.js";

export interface HookBody {
  /** Undefined where the content type has no members to speak of. */
  value: unknown;
  isJson: boolean;
}

/** Set by the runtime, or shown to people: no sender's to give (N-28). */
const NEVER_MAPPED: ReadonlySet<string> = new Set(["trigger", "title"]);

/**
 * @throws {UnsupportedMediaTypeError} for a type that the hook does not take
 * @throws {InvalidRequestError} for broken JSON
 */
export function hookBody(hook: WebhookConfig, request: HttpRequest): HookBody {
  const isSlack = hook.verify.scheme === "slack";
  // Slack sends events as JSON, and what people click as a form.
  const taken = hook.accept ?? (isSlack ? [JSON_TYPE, FORM_TYPE] : [JSON_TYPE]);
  const type = requireMediaType(request, taken);
  if (type === JSON_TYPE) return { value: jsonFrom(request.body), isJson: true };
  if (type !== FORM_TYPE) return { value: undefined, isJson: false };
  const fields: Record<string, unknown> = formFields(textFrom(request.body));
  if (isSlack && typeof fields.payload === "string") {
    fields.payload = jsonFrom(new TextEncoder().encode(fields.payload));
  }
  return { value: fields, isJson: false };
}

/** N-28: by the hook's map, else the trigger's own names from the top level, and nothing else of the body. */
export function hookFiring(
  hook: WebhookConfig,
  fired: { workflow: string; trigger: MachineTrigger; body: HookBody },
): Firing {
  const { workflow, trigger, body } = fired;
  const paths = hook.map ? Object.entries(hook.map) : ownNames(trigger).map((name) => [name, name] as const);
  const variables: Record<string, unknown> = {};
  for (const [name, path] of paths) {
    const value = NEVER_MAPPED.has(name) ? undefined : resolveValuePath(path, body.value);
    if (value !== undefined) variables[name] = value;
  }
  const message = hook.message === undefined ? undefined : resolveValuePath(hook.message, body.value);
  return {
    workflow,
    trigger: trigger.id,
    variables,
    ...(typeof message === "string" ? { message } : {}),
    ...(hook.sessionPath === undefined ? {} : { sessionPath: hook.sessionPath }),
  };
}

/** N-32, F-11: what the configuration names, else the sender's own id, else a hash that the order of keys does not change. */
export function dedupeKey(hook: WebhookConfig, request: HttpRequest, body: HookBody): string {
  return named(hook, request, body) ?? hashed(hook, request, body);
}

function named({ dedupe, verify }: WebhookConfig, { headers }: HttpRequest, { value }: HookBody): string | undefined {
  const source = dedupe ?? DEFAULT_SOURCES[verify.scheme];
  if (source === undefined) return undefined;
  const place = source.slice(source.indexOf(":") + 1);
  const found = source.startsWith("header:") ? headers[place.toLowerCase()] : resolveValuePath(place, value);
  if (typeof found === "number") return `${source}=${found}`;
  return typeof found === "string" && found !== "" ? `${source}=${found}` : undefined;
}

const DEFAULT_SOURCES: Readonly<Record<string, string>> = {
  github: "header:X-GitHub-Delivery",
  stripe: "body:id",
  slack: "body:event_id",
  standard: "header:webhook-id",
};

function hashed({ verify }: WebhookConfig, request: HttpRequest, { value, isJson }: HookBody): string {
  const content = sha256Hex(isJson ? canonicalJson(value) : request.body);
  return `sha256=${content};${timestampOf(verify, request.headers) ?? ""}`;
}

function ownNames({ signature, session, message }: MachineTrigger): string[] {
  const firstSegments = [session, message].flatMap((path) =>
    typeof path === "string" ? [path.split(".")[0] ?? ""] : [],
  );
  return [...new Set([...signature.requires.map(({ name }) => name), ...firstSegments])];
}

/** A field that comes more than once is a list. */
function formFields(text: string): Record<string, unknown> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (const [name, value] of new URLSearchParams(text)) {
    const before = fields[name];
    if (before === undefined) fields[name] = value;
    // One list grows: a copy for each of half a million values would take minutes.
    else if (Array.isArray(before)) before.push(value);
    else fields[name] = [before, value];
  }
  return fields;
}
