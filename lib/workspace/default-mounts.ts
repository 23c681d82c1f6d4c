import { createFilesystemBackend } from "./filesystem-backend.js";
import type { MountTable } from "./mounts.js";
import { mountSubtree } from "./subtree.js";

/**
 * The authored part of a workspace folder as agents see it (H-95): skills, the platform's files and the persona,
 * read-only and ungoverned. What does not exist is an empty place, not an error.
 */
export function defaultMounts(rootDir: string): MountTable {
  const root = createFilesystemBackend(rootDir);
  return {
    "/skills/": mountSubtree(root, "skills"),
    "/.platform/": mountSubtree(root, ".platform"),
    "/AGENTS.md": { backend: root },
  };
}
