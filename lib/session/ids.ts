/** Session ids at the border of a store: parsed once, and whose a file is when one id begins another. */
import { SESSION_AREAS, sessionIdRejection } from "../spec/index.js";
import { SessionStoreIdError } from "./errors.js";

/** The id without leading slashes. @throws {SessionStoreIdError} when it can name no session (H-91) */
export function parseSessionId(id: string, mounts?: readonly string[]): string {
  const rejection = sessionIdRejection(id, mounts);
  if (rejection !== null) throw new SessionStoreIdError(id, rejection);
  return id.replace(/^\/+/, "");
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
