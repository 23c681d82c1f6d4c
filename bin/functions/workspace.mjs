// The authored workspace as it travels in a function's asset.
import { copyFileSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const AUTHORED = ["workflows", "skills", "AGENTS.md", ".platform"];
/** What an entrance reads of a workflow. */
const DOCUMENTS = new Set(["workflow.yaml", "WORKFLOW.md"]);
/** A workflow's tests and what the machine or a person keeps beside the authored files. */
const LEFT_OUT = new Set(["tests", "sessions", "node_modules", "dist"]);

/**
 * Copies what is authored: all of it, or the workflows' documents alone. Files whose name begins with a dot (`.env`) and
 * symbolic links stay behind: either may hold what is none of a deployment's.
 *
 * @param {{ root: string, to: string, documentsOnly: boolean }} options
 */
export function copyWorkspace({ root, to, documentsOnly }) {
  for (const path of authoredFiles(root)) {
    if (documentsOnly && !isDocument(path)) continue;
    const target = join(to, ...path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(root, ...path), target);
  }
}

function authoredFiles(root) {
  return AUTHORED.filter((name) => existsSync(join(root, name))).flatMap((name) => {
    const isFile = name.endsWith(".md");
    return isFile ? [[name]] : filesUnder(root, [name]);
  });
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
