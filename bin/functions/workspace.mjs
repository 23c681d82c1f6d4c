// The authored workspace as it travels in a function's asset.
import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const AUTHORED = ["workflows", "skills", "AGENTS.md", "mcp.json", ".platform"];
/** What an entrance reads of a workflow. */
const DOCUMENTS = new Set(["workflow.yaml", "WORKFLOW.md"]);
/** A workflow's tests, what is for its readers, and what the machine or a person keeps beside the authored files. */
const LEFT_OUT = new Set(["tests", "README.md", "graph.mmd", "sessions", "node_modules", "dist"]);

/**
 * Copies what is authored: all of it, or the workflows' documents alone. Files whose name begins with a dot (`.env`) and
 * symbolic links stay behind: either may hold what is none of a deployment's.
 *
 * @param {{ root: string, to: string, documentsOnly: boolean, more?: readonly string[] }} options
 *   `more` are further files and folders of the root, which the configuration's mounts read
 */
export function copyWorkspace({ root, to, documentsOnly, more = [] }) {
  for (const path of authoredFiles(root, more)) {
    if (documentsOnly && !isDocument(path)) continue;
    const target = join(to, ...path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, ...path), target);
  }
}

function authoredFiles(root, more) {
  const authored = AUTHORED.filter((name) => existsSync(join(root, name))).flatMap((name) => {
    const isFile = /\.(?:md|json)$/.test(name);
    return isFile ? [[name]] : filesUnder(root, [name]);
  });
  return [...authored, ...more.flatMap((name) => filesOf(root, name.replace(/\/$/, "").split("/")))];
}

function filesOf(root, path) {
  const found = lstatSync(join(root, ...path), { throwIfNoEntry: false });
  if (found?.isDirectory()) return filesUnder(root, path);
  if (found?.isFile()) return [path];
  throw new TypeError(`The configuration's \`files\` names ${path.join("/")}, which is no file or folder of ${root}.`);
}

function filesUnder(root, folder) {
  const entries = readdirSync(join(root, ...folder), { withFileTypes: true });
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = [...folder, entry.name];
      if (entry.name.startsWith(".") || LEFT_OUT.has(entry.name)) return [];
      if (entry.isDirectory()) return filesUnder(root, path);
      return entry.isFile() ? [path] : [];
    });
}

function isDocument([top, , name, ...deeper]) {
  return top === "workflows" && deeper.length === 0 && DOCUMENTS.has(name);
}
