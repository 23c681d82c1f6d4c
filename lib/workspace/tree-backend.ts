/** A `Backend` over any `Tree`: canonical paths, errors as values, exact bytes. */
import { binaryMediaType, bytesToStore, isBinaryPath, mediaTypeOf, textFromBytes } from "./bytes.js";
import { FileProblem } from "./errors.js";
import { byPath, relativeTo, treePath } from "./paths.js";
import { countOccurrences, DEFAULT_MATCH_CAP, globMatcher, grepFilter, linesOf, matchingLines } from "./search.js";
import type { Tree, TreeFile } from "./tree.js";
import type { Backend, FileError, GrepMatch } from "./types.js";

export function treeBackend(tree: Tree): Required<Backend> {
  const inOrder = serially();

  return {
    ls: (path) => answer(async () => ({ files: (await tree.children(inside(path))).sort(byPath) })),

    read: (path, offset = 0, limit) =>
      answer(async () => {
        const { content, mimeType } = contentOf(path, await fileAt(tree, path));
        if (typeof content !== "string" || (offset === 0 && limit === undefined)) return { content, mimeType };
        const lines = linesOf(content).slice(offset, limit === undefined ? undefined : offset + limit);
        return { content: lines.join("\n"), mimeType };
      }),

    readRaw: (path) =>
      answer(async () => {
        const file = await fileAt(tree, path);
        return { data: { ...contentOf(path, file), modifiedAt: new Date(file.modifiedAt).toISOString() } };
      }),

    write: (path, content) =>
      answer(async () => {
        const bytes = bytesToStore(path, content);
        if (bytes === null) throw new FileProblem("invalid_path", whyNotStorable(path));
        return { path: await put(path, bytes) };
      }),

    edit: (path, oldText, newText, replaceAll = false) =>
      answer(async () => {
        const target = inside(path);
        return inOrder(target, async () => {
          const file = await fileAt(tree, target);
          const edited = editedText(textFromBytes(file.bytes), oldText, newText, { replaceAll });
          const bytes = bytesToStore("/text", edited.text);
          if (bytes === null) throw new FileProblem("invalid_path", whyNotStorable("/text"));
          await tree.write(target, bytes, file);
          return { path: target, occurrences: edited.occurrences };
        });
      }),

    glob: (pattern, path = "/") =>
      answer(async () => {
        const base = inside(path);
        const matches = globMatcher(pattern);
        const files = (await tree.walk(base)).filter((file) => matches(relativeTo(file.path, base)));
        return { files: files.sort(byPath) };
      }),

    grep: (pattern, path = "/", glob = undefined, maxCount = DEFAULT_MATCH_CAP) =>
      answer(async () => grepTree(tree, pattern, { base: inside(path), glob, maxCount })),

    downloadFiles: (paths) =>
      Promise.all(
        paths.map(async (path) => {
          const read = await answer(async () => ({ content: (await fileAt(tree, path)).bytes }));
          return "content" in read
            ? { path, content: read.content, error: null }
            : { path, content: null, error: read.kind };
        }),
      ),

    uploadFiles: async (files) => {
      const results: { path: string; error: FileError | null }[] = [];
      for (const [path, bytes] of files) {
        const written = await answer(async () => ({ path: await put(path, bytes) }));
        results.push({ path, error: "kind" in written ? written.kind : null });
      }
      return results;
    },

    delete: (path) =>
      answer(async () => {
        const target = inside(path);
        await inOrder(target, async () => {
          if (!(await tree.remove(target))) throw new FileProblem("file_not_found");
        });
        return {};
      }),
  };

  async function put(path: string, bytes: Uint8Array): Promise<string> {
    const target = inside(path);
    if (target === "/") throw new FileProblem("is_directory");
    await inOrder(target, async () => tree.write(target, bytes, await tree.read(target)));
    return target;
  }
}

/** One file's text with the replacement made (H-82 d, R-238); throws FileProblem when it cannot be made. */
function editedText(
  text: string | null,
  oldText: string,
  newText: string,
  options: { replaceAll: boolean },
): { text: string; occurrences: number } {
  if (text === null) throw new FileProblem("invalid_path", "the file is not text");
  const occurrences = countOccurrences(text, oldText);
  if (occurrences === 0) throw new FileProblem("invalid_path", "the old text does not occur");
  if (occurrences > 1 && !options.replaceAll) {
    throw new FileProblem("invalid_path", `the old text occurs ${occurrences} times`);
  }
  return { text: text.split(oldText).join(newText), occurrences };
}

async function grepTree(
  tree: Tree,
  pattern: string,
  search: { base: string; glob?: string; maxCount: number },
): Promise<{ matches: GrepMatch[]; truncated?: boolean }> {
  const accepts = search.glob === undefined ? () => true : grepFilter(search.glob);
  const matches: GrepMatch[] = [];
  for (const { path } of (await tree.walk(search.base)).sort(byPath)) {
    if (!accepts(relativeTo(path, search.base) || path.slice(path.lastIndexOf("/") + 1))) continue;
    if (isBinaryPath(path)) continue;
    const file = await tree.read(path);
    const text = file && textFromBytes(file.bytes);
    if (text === null || text.includes("\0")) continue;
    // One more than wanted tells a full answer from a cut one.
    matches.push(...matchingLines(path, text, pattern, search.maxCount + 1 - matches.length));
    if (matches.length > search.maxCount) return { matches: matches.slice(0, search.maxCount), truncated: true };
  }
  return { matches };
}

async function fileAt(tree: Tree, path: string): Promise<TreeFile> {
  const file = await tree.read(inside(path));
  if (file === null) throw new FileProblem("file_not_found");
  return file;
}

/** Text where the bytes are exactly that text, bytes otherwise. */
function contentOf(path: string, file: TreeFile): { content: string | Uint8Array; mimeType: string } {
  const text = binaryMediaType(path) === null ? textFromBytes(file.bytes) : null;
  return { content: text ?? file.bytes, mimeType: mediaTypeOf(path, file.bytes) };
}

function inside(path: string): string {
  const canonical = treePath(path);
  if ("problem" in canonical) throw new FileProblem("invalid_path");
  return canonical.path;
}

function whyNotStorable(path: string): string {
  return isBinaryPath(path) ? "the content is not valid base64" : "the content holds half a surrogate pair";
}

/** The result, or an ordinary failure as a value; `kind` is its name for the batch methods. */
async function answer<T>(work: () => Promise<T>): Promise<T | { error: string; kind: FileError }> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return { error: error.message, kind: error.kind === "io_error" ? "permission_denied" : error.kind };
  }
}

/** Runs work on one path one after the other: calls of one batch never race each other to a conditional write. */
function serially(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const tails = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const run = (tails.get(key) ?? Promise.resolve()).then(work, work);
    tails.set(key, run);
    const forget = () => {
      if (tails.get(key) === run) tails.delete(key);
    };
    run.then(forget, forget);
    return run;
  };
}
