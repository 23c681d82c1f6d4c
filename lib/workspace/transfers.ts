/** Exact bytes in and out of the workspace, whatever the stores below can do (H-84, R-244). */
import { bytesFromBase64, bytesFromText, isBinaryPath } from "./bytes.js";
import { FileProblem, fileErrorFromText } from "./errors.js";
import { type Place, type Routes, refuseReadOnly } from "./routing.js";
import type { Backend, FileError } from "./types.js";

type Download = { path: string; content: Uint8Array | null; error: FileError | null };
type Upload = { path: string; error: FileError | null };

export async function downloadFromWorkspace(routes: Routes, paths: string[]): Promise<Download[]> {
  const places = paths.map((path) => placed(routes, path));
  return Promise.all(
    places.map(async (place, index): Promise<Download> => {
      const path = paths[index]!;
      if (place === null) return { path, content: null, error: "invalid_path" };
      const [answer] = place.backend.downloadFiles
        ? await place.backend.downloadFiles([place.inner])
        : [await throughReadRaw(place.backend, place.inner)];
      return { path, content: answer?.content ?? null, error: answer ? answer.error : "file_not_found" };
    }),
  );
}

export async function uploadToWorkspace(
  routes: Routes,
  files: [path: string, content: Uint8Array][],
): Promise<Upload[]> {
  const places = files.map(([path]) => placed(routes, path));
  const results: Upload[] = [];
  for (const [index, [path, content]] of files.entries()) {
    results.push({ path, error: await uploadOne(places[index] ?? null, content) });
  }
  return results;
}

async function uploadOne(place: Place | null, content: Uint8Array): Promise<FileError | null> {
  if (place === null) return "invalid_path";
  try {
    refuseReadOnly(place);
  } catch {
    return "permission_denied";
  }
  if (!place.backend.uploadFiles) return "permission_denied";
  const [answer] = await place.backend.uploadFiles([[place.inner, content]]);
  return answer ? answer.error : "permission_denied";
}

/** Bytes out of a store that only reads: exact, or `permission_denied` where exactness cannot be known. */
async function throughReadRaw(
  backend: Backend,
  path: string,
): Promise<{ content: Uint8Array | null; error: FileError | null }> {
  const { data, error } = await backend.readRaw(path);
  if (!data) return { content: null, error: fileErrorFromText(error ?? "") ?? "file_not_found" };
  if (typeof data.content !== "string") return { content: data.content, error: null };
  const bytes = isBinaryPath(path) ? bytesFromBase64(data.content) : exactBytes(data.content);
  return bytes ? { content: bytes, error: null } : { content: null, error: "permission_denied" };
}

/** A replacement character may stand for bytes that were lost in decoding. */
function exactBytes(text: string): Uint8Array | null {
  return text.includes("\uFFFD") ? null : bytesFromText(text);
}

/** Null for a path with a control character; one that leaves the workspace throws. */
function placed(routes: Routes, path: string): Place | null {
  try {
    return routes.placeOf(path);
  } catch (error) {
    if (error instanceof FileProblem) return null;
    throw error;
  }
}
