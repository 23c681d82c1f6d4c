/** Files of this process only. */
import { bytesFromText } from "./bytes.js";
import { flatTree } from "./flat-tree.js";
import { treePath } from "./paths.js";
import type { TreeFile } from "./tree.js";
import { treeBackend } from "./tree-backend.js";
import type { Backend } from "./types.js";

/**
 * A backend whose files live in memory.
 *
 * @param files - what it holds at first: path to bytes, or to text stored as UTF-8
 * @throws {TypeError} when a path leaves the root or a text holds half a surrogate pair
 */
export function createMemoryBackend(files: Readonly<Record<string, string | Uint8Array>> = {}): Required<Backend> {
  const stored = new Map<string, TreeFile>();
  for (const [given, content] of Object.entries(files)) {
    const canonical = treePath(given);
    const bytes = typeof content === "string" ? bytesFromText(content) : content.slice();
    if ("problem" in canonical || bytes === null) throw new TypeError(`"${given}" cannot be a file of this backend.`);
    stored.set(canonical.path, { bytes, modifiedAt: 0 });
  }
  return treeBackend(
    flatTree({
      async read(path) {
        const file = stored.get(path);
        return file ? { ...file, bytes: file.bytes.slice() } : null;
      },
      async write(path, bytes) {
        stored.set(path, { bytes: bytes.slice(), modifiedAt: Date.now() });
      },
      async remove(path) {
        return stored.delete(path);
      },
      async list() {
        return Array.from(stored, ([path, file]) => ({ path, size: file.bytes.length, modifiedAt: file.modifiedAt }));
      },
    }),
  );
}
