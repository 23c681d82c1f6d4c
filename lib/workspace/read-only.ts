/** A workspace that can be looked at only: writing, editing and deleting are refused as in a read-only mount. */
import type { Workspace } from "./types.js";

const REFUSED = { error: "permission_denied: this view of the files is read-only" };

export function readOnly(workspace: Workspace): Workspace {
  const { ls, read, readRaw, glob, grep, downloadFiles } = workspace;
  return Object.freeze({
    ls,
    read,
    readRaw,
    glob,
    grep,
    downloadFiles,
    write: async () => REFUSED,
    edit: async () => REFUSED,
    delete: async () => REFUSED,
  });
}
