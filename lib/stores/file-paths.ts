/** What file stores share: which paths they take, and the version of a file's content. */
import { createHash } from "node:crypto";
import { WorkspacePathEscapeError } from "../session/errors.js";

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f]/;

/** Areas at the root that belong to no session: no session's id may begin so. */
const SHARED_ROOTS = ["_specs/", ".parkway/uploads/"];

/** Whether the path is canonical and free of control characters. */
export function isFilePath(path: string): boolean {
  const segments = path.split("/");
  const isCanonical = segments.every((segment) => segment !== "" && segment !== "." && segment !== "..");
  return isCanonical && !CONTROL_CHARACTER.test(path);
}

/** The path as it came, which must be canonical: callers resolve dots and slashes before (F-96). */
export function requireFilePath(path: string): string {
  if (!isFilePath(path)) throw new WorkspacePathEscapeError(path);
  return path;
}

/** A path in an area shared by all sessions: `_specs/…`, or `.parkway/uploads/…` for what is not placed yet (S-10). */
export function requireSharedPath(path: string): string {
  if (!SHARED_ROOTS.some((root) => path.startsWith(root))) throw new WorkspacePathEscapeError(path);
  return requireFilePath(path);
}

/** A folder of the shared areas, with its "/". */
export function requireSharedFolder(folder: string): string {
  if (!folder.endsWith("/")) throw new WorkspacePathEscapeError(folder);
  requireSharedPath(`${folder}x`);
  return folder;
}

/**
 * The version of a file is its content's SHA-256, so any process can tell it. A file changed and changed back has its
 * old version again: a conditional write then replaces what it expected to replace.
 */
export function versionOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
