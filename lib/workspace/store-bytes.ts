/** Writing bytes through whichever method can hold them exactly. */
import { base64FromBytes, isBinaryPath, textFromBytes } from "./bytes.js";
import type { Backend } from "./types.js";

/**
 * Stores `bytes` at `path` exactly. A store without `uploadFiles` (or a mount that refuses it) takes text, and base64
 * where the path's extension says so; other bytes cannot be held there (R-244, H-74).
 *
 * @returns the store's error text, or null
 */
export async function storeBytes(files: Backend, path: string, bytes: Uint8Array): Promise<string | null> {
  if (files.uploadFiles) {
    const [answer] = await files.uploadFiles([[path, bytes]]);
    if (answer?.error !== "permission_denied") return answer?.error ?? null;
  }
  const content = contentForWrite(path, bytes);
  if (content === null) return "permission_denied: the store cannot hold these bytes exactly";
  return (await files.write(path, content)).error ?? null;
}

/** What `write` has to be given so that these bytes are stored, or null when it cannot store them. */
export function contentForWrite(path: string, bytes: Uint8Array): string | null {
  return isBinaryPath(path) ? base64FromBytes(bytes) : textFromBytes(bytes);
}
