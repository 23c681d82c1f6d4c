/** Session ids: which texts may be one, how children are named, and whose a file is when one id begins another. */
import { SessionStoreIdError } from "./errors.js";

/** The areas every session has directly below its id (H-89). */
export const SESSION_AREAS = [
  "scratchpad",
  "large_tool_results",
  "conversation_history",
  "checkpoints",
  "artifacts",
] as const;

/** First segments that name no session, since the store or the workspace uses them. */
const RESERVED_ROOTS: readonly string[] = [...SESSION_AREAS, "_specs", ".parkway", "workflows"];

const MAX_ID_BYTES = 512;
const CHILD_ID = /^[^~]+(~[1-9][0-9]*)+$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Why a text cannot be a session id, as a sentence, or null when it can (R-2, H-91). Leading slashes are ignored.
 *
 * @param mounts - mount keys as the workflow declares them (`/skills/`, `skills`): their first segments are taken
 */
export function sessionIdRejection(id: string, mounts: Iterable<string> = []): string | null {
  const bare = withoutLeadingSlashes(id);
  if (bare === "") return "it is empty; use any other text.";
  if (new TextEncoder().encode(bare).length > MAX_ID_BYTES) return `it is longer than ${MAX_ID_BYTES} bytes of UTF-8.`;
  if (bare.includes("\\")) return "it contains a backslash; separate parts with a slash.";
  if (CONTROL_CHARACTER.test(bare)) return "it contains a control character.";
  const segments = bare.split("/");
  const dots = segments.find((segment) => segment === "." || segment === "..");
  if (dots !== undefined) return `it contains the segment "${dots}", which is no name.`;
  const [first = "", ...later] = segments;
  if (RESERVED_ROOTS.includes(first)) return `it begins with "${first}", which is reserved.`;
  for (const mount of mounts) {
    const root = withoutLeadingSlashes(mount).split("/")[0];
    if (root !== "" && root === first) return `it begins with "${first}", which is a mount of the workspace.`;
  }
  const area = later.find(isSessionArea);
  if (area !== undefined) return `it contains the segment "${area}", which names an area of a session.`;
  if (bare.includes("~") && !CHILD_ID.test(bare)) {
    return 'it contains "~", which only a sub-workflow\'s session has, as <session>~<number>.';
  }
  return null;
}

/** The id without leading slashes. Throws SessionStoreIdError when it can name no session. */
export function parseSessionId(id: string, mounts?: Iterable<string>): string {
  const rejection = sessionIdRejection(id, mounts);
  if (rejection !== null) throw new SessionStoreIdError(id, rejection);
  return withoutLeadingSlashes(id);
}

/** H-92: the id of a session's `n`-th dispatch, counted from 1. */
export function childSessionId(parent: string, n: number): string {
  return `${parent}~${n}`;
}

/** The session that called this one; null for a session that nobody called. */
export function parentSessionIdOf(id: string): string | null {
  return CHILD_ID.test(id) ? id.slice(0, id.lastIndexOf("~")) : null;
}

/** Whether `id` is a child of `parent` or a child's child. */
export function isChildSessionOf(id: string, parent: string): boolean {
  return CHILD_ID.test(id) && id.startsWith(`${parent}~`);
}

/**
 * whether `path`, below the session's id, is the session's own. Its areas are; anything else is, unless it lies
 * at or below a longer id that names another session.
 *
 * @param isKnownId - whether a text longer than `sessionId` names a session
 */
export function ownsPath(sessionId: string, path: string, isKnownId: (id: string) => boolean): boolean {
  const segments = path.split("/");
  if (isSessionArea(segments[0] ?? "")) return true;
  let id = sessionId;
  for (const segment of segments) {
    id = `${id}/${segment}`;
    if (isKnownId(id)) return false;
  }
  return true;
}

export function isSessionArea(segment: string): boolean {
  return (SESSION_AREAS as readonly string[]).includes(segment);
}

function withoutLeadingSlashes(text: string): string {
  return text.replace(/^\/+/, "");
}
