/** Where files lie that were sent with an arrival and are not placed yet (S-10, S-79). */
import type { ArrivalInput } from "./arrival.js";
import type { FileStore } from "./ports.js";

/** In the area shared by all sessions: an upload is there before its arrival is accepted. */
export const UPLOADS = ".parkway/uploads/";

/**
 * A new key for bytes sent with an arrival. Every upload has a name of its own, so one that nothing has come to name in a
 * day is never named later, and can be removed (S-79).
 */
export function uploadKey(arrivalId: string, sha256: string): string {
  return `${UPLOADS}${arrivalId}/${sha256}-${crypto.randomUUID()}`;
}

/** The arrival that an upload was sent with; null for what lies elsewhere. */
export function arrivalOfUpload(key: string): string | null {
  const [arrivalId, name, ...more] = key.startsWith(UPLOADS) ? key.slice(UPLOADS.length).split("/") : [];
  return arrivalId && name && more.length === 0 ? arrivalId : null;
}

/** The input with copies of its uploads under another arrival. What is gone keeps its key, and is refused under the lease. */
export async function copyUploads(
  files: Pick<FileStore, "readShared" | "writeShared">,
  input: ArrivalInput,
  arrivalId: string,
): Promise<ArrivalInput> {
  if (input.kind !== "turn" || input.files === undefined) return input;
  const copies = await Promise.all(
    Object.entries(input.files).map(async ([variable, ref]) => {
      const bytes = await files.readShared(ref.key);
      if (bytes === null) return [variable, ref] as const;
      const key = uploadKey(arrivalId, ref.sha256);
      await files.writeShared(key, bytes);
      return [variable, { ...ref, key }] as const;
    }),
  );
  return { ...input, files: Object.fromEntries(copies) };
}
