/** The files that cross between a caller and its child: arguments down, returns up, nothing else. */
import type { SignatureEntry } from "../../spec/types.js";
import { placeTurnFiles } from "../../workspace/index.js";
import type { Backend, Workspace } from "../../workspace/types.js";

/**
 * Copies the files that `file` entries name, and answers each entry's new path. A repetition under the same `copyId`
 * places no second copy.
 *
 * @throws what keeps a file from being read or stored
 */
export async function copyFiles(
  entries: readonly SignatureEntry[],
  values: Readonly<Record<string, unknown>>,
  copy: { from: Workspace; to: Backend; copyId: string },
): Promise<Record<string, string>> {
  const named = fileEntries(entries, values);
  if (named.length === 0) return {};
  const files = await Promise.all(
    named.map(async ({ name, path }) => {
      const [found] = await copy.from.downloadFiles([`/${path.replace(/^\/+/, "")}`]);
      if (!found?.content) throw new Error(`"${name}" names the file ${path}, which cannot be read.`);
      return { variable: name, name: path.slice(path.lastIndexOf("/") + 1), bytes: found.content };
    }),
  );
  return placeTurnFiles(copy.to, { arrivalId: copy.copyId, files });
}

function fileEntries(
  entries: readonly SignatureEntry[],
  values: Readonly<Record<string, unknown>>,
): { name: string; path: string }[] {
  return entries.flatMap(({ name, type }) => {
    const path = type === "file" && Object.hasOwn(values, name) ? values[name] : undefined;
    return typeof path === "string" ? [{ name, path }] : [];
  });
}
