/**
 * Where a store over a backend keeps what is no session's file. Like all of `.parkway/`, no session owns it.
 *
 * ```text
 * /.parkway/sessions/<id>.json   a session's record, inbox, thread, events, receipts and dead letters
 * /.parkway/letters.json         letters of what never named a session
 * /.parkway/areas/<id>           a session of this id, which holds a "/", has files here (R-312)
 * ```
 *
 * Ids stand in base64url, in pieces that every file system takes as a name.
 */
const PIECE_CHARS = 200;

export const SESSIONS = "/.parkway/sessions";

export function documentOf(sessionId: string): string {
  return sessionId === "" ? "/.parkway/letters.json" : `${SESSIONS}/${inPieces(sessionId)}.json`;
}

/** The id of a document below `SESSIONS`; null for a file of another kind. */
export function sessionOf(path: string): string | null {
  if (!path.startsWith(`${SESSIONS}/`) || !path.endsWith(".json")) return null;
  const pieces = path.slice(SESSIONS.length + 1, -".json".length);
  return Buffer.from(pieces.replaceAll("/", ""), "base64url").toString();
}

export function areaMarkOf(sessionId: string): string {
  return `/.parkway/areas/${inPieces(sessionId)}.mark`;
}

function inPieces(sessionId: string): string {
  const encoded = Buffer.from(sessionId).toString("base64url");
  return (encoded.match(new RegExp(`.{1,${PIECE_CHARS}}`, "g")) ?? []).join("/");
}
