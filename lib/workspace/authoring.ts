/** The authoring plane: what the runtime alone reads of `workflows/**` (H-31, W-249, W-250). No mount serves it. */
import { isSlug, workflowPaths } from "../spec/index.js";
import { textFromBytes } from "./bytes.js";
import { isWithin, joinPath, treePath } from "./paths.js";
import type { Backend } from "./types.js";

export interface Authoring {
  /** Slugs of the folders under `workflows/` that hold a `workflow.yaml`, sorted. */
  listWorkflows(): Promise<string[]>;
  /** Text of `workflow.yaml`; null when there is none. */
  readSpec(slug: string): Promise<string | null>;
  /** Text of `WORKFLOW.md`; null when there is none. */
  readAddendum(slug: string): Promise<string | null>;
  /** Text of a file of one workflow, by its path in the workflow's folder; null when there is none, or it leads out. */
  readFile(slug: string, path: string): Promise<string | null>;
  /** Bytes of such a file (a case's fixtures). */
  readBytes(slug: string, path: string): Promise<Uint8Array | null>;
  /** Files of one workflow under `folder`, by their paths in the workflow's folder, sorted. */
  listFiles(slug: string, folder?: string): Promise<string[]>;
}

export function createAuthoring(backend: Backend): Authoring {
  const text = async (slug: string, path: string): Promise<string | null> => {
    const full = locate(slug, path);
    if (full === null) return null;
    const { data } = await backend.readRaw(full);
    if (!data) return null;
    return typeof data.content === "string" ? data.content : textFromBytes(data.content);
  };

  return {
    async listWorkflows() {
      const { files = [] } = await backend.ls("/workflows");
      const slugs = files
        .filter(({ isDir }) => isDir)
        .map(({ path }) => path.replace(/\/$/, "").split("/").pop() ?? "");
      const held = await Promise.all(slugs.map(async (slug) => isSlug(slug) && (await text(slug, SPEC_FILE)) !== null));
      return slugs.filter((_, index) => held[index]).sort();
    },
    readSpec: (slug) => text(slug, SPEC_FILE),
    readAddendum: (slug) => text(slug, ADDENDUM_FILE),
    readFile: text,
    async readBytes(slug, path) {
      const full = locate(slug, path);
      if (full === null) return null;
      if (backend.downloadFiles) return (await backend.downloadFiles([full]))[0]?.content ?? null;
      const { data } = await backend.readRaw(full);
      if (!data) return null;
      return typeof data.content === "string" ? new TextEncoder().encode(data.content) : data.content;
    },
    async listFiles(slug, folder = "") {
      const base = locate(slug, folder);
      const root = locate(slug, "");
      if (base === null || root === null) return [];
      const { files = [] } = await backend.glob("**", base);
      return files
        .map(({ path }) => path)
        .filter((path) => isWithin(path, root))
        .map((path) => path.slice(root.length + 1))
        .sort();
    },
  };
}

/** Whether a `WORKFLOW.md` begins with a `---`-delimited block, which would be a second machine (W-8). A rule is none. */
export function opensWithFrontmatter(prose: string): boolean {
  return /^\uFEFF?---[ \t]*\r?\n(?:[\s\S]*?\r?\n)?---[ \t]*(?:\r?\n|$)/.test(prose);
}

const SPEC_FILE = "workflow.yaml";
const ADDENDUM_FILE = "WORKFLOW.md";

/** Path in the backend, or null for what is no workflow or leaves its folder. */
function locate(slug: string, path: string): string | null {
  if (!isSlug(slug)) return null;
  const root = `/${workflowPaths(slug).root}`;
  const canonical = treePath(joinPath(root, path));
  return "path" in canonical && isWithin(canonical.path, root) ? canonical.path : null;
}
