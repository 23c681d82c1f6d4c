/** Files sent with an input: their bytes lie in the file store before the input is accepted (S-10). */
import type { FileRef } from "../session/arrival.js";
import { sha256Hex } from "../session/index.js";
import type { FileStore } from "../session/ports.js";
import { uploadKey } from "../session/uploads.js";
import type { TurnFile } from "../workspace/index.js";

export interface FileInput {
  name: string;
  /** A string is UTF-8 text (H-72). */
  content: Uint8Array | string;
}

/** A file with the reference that the inbox item will hold. */
export interface Upload extends TurnFile {
  ref: FileRef;
}

export function uploadsOf(arrivalId: string, files: Readonly<Record<string, FileInput>> = {}): Upload[] {
  return Object.entries(files).map(([variable, { name, content }]) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    const sha256 = sha256Hex(bytes);
    const ref = { name, key: uploadKey(arrivalId, sha256), sizeBytes: bytes.length, sha256 };
    return { variable, name, bytes, ref };
  });
}

export async function storeUploads(files: Pick<FileStore, "writeShared">, uploads: readonly Upload[]): Promise<void> {
  for (const { ref, bytes } of uploads) await files.writeShared(ref.key, bytes);
}
