/** Which text may name a session, and how a delegated child's id follows from its parent's (H-91, H-92). */

/** Folders the runtime keeps directly below a session's id (H-89). */
export const SESSION_AREAS = [
  "scratchpad",
  "large_tool_results",
  "conversation_history",
  "checkpoints",
  "artifacts",
] as const;

/** First segments that belong to the store or to the authored tree, beside the areas and the mounts. */
const RESERVED_ROOTS = ["_specs", ".parkway", "workflows"];

/** H-91: longest id in UTF-8 bytes. */
export const MAX_SESSION_ID_BYTES = 512;

const CHILD_ID = /^[^~]+(~[1-9][0-9]*)+$/;
const LAST_CHILD_NUMBER = /~[1-9][0-9]*$/;

/**
 * Why a text cannot name a session, or null when it can.
 *
 * @param id - as it arrived; leading slashes are ignored
 * @param mountNames - keys of the declared mounts, with or without outer slashes
 */
export function sessionIdRejection(id: string, mountNames: readonly string[] = []): string | null {
  const name = id.replace(/^\/+/, "");
  if (name === "") return "A session id must not be empty.";
  if (utf8Length(name) > MAX_SESSION_ID_BYTES) {
    return `A session id has at most ${MAX_SESSION_ID_BYTES} bytes in UTF-8; this one is longer.`;
  }
  if (name.includes("\\")) return "A session id must not contain a backslash.";
  if (!name.isWellFormed()) return "A session id must not contain half a surrogate pair.";
  if (hasControlCharacter(name)) return "A session id must not contain a control character.";

  const segments = name.split("/");
  if (segments.some((segment) => segment === "." || segment === "..")) {
    return `A session id must not contain a "." or ".." segment.`;
  }
  const first = segments[0]!;
  const mountRoots = mountNames.map((mount) => mount.replace(/^\/+/, "").split("/")[0]);
  if (isArea(first) || RESERVED_ROOTS.includes(first) || mountRoots.includes(first)) {
    return `A session id must not begin with "${first}": that place is the runtime's or a mount's.`;
  }
  const area = segments.slice(1).find(isArea);
  if (area !== undefined) return `A session id must not contain the segment "${area}": it names a session's own area.`;
  if (name.includes("~") && !CHILD_ID.test(name)) {
    return `"~" is kept for delegated children: "<parent>~<n>" with n counted from 1.`;
  }
  return null;
}

/** The id of the n-th session that `parent` delegated to; `n` counts from 1. */
export function childSessionId(parent: string, n: number): string {
  return `${parent}~${n}`;
}

/** The id of the session that delegated to this one, or null for a top-level session. */
export function parentSessionIdOf(id: string): string | null {
  return CHILD_ID.test(id) ? id.replace(LAST_CHILD_NUMBER, "") : null;
}

/** Whether `id` is a child, grandchild and so on of `parent`. */
export function isChildSessionOf(id: string, parent: string): boolean {
  return CHILD_ID.test(id) && id.startsWith(`${parent}~`);
}

function isArea(segment: string): boolean {
  return (SESSION_AREAS as readonly string[]).includes(segment);
}

/** C0, DEL and C1. */
export function hasControlCharacter(text: string): boolean {
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code < 0x20 || (code >= 0x7f && code <= 0x9f)) return true;
  }
  return false;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
