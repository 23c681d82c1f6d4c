/** A workflow's case files, found and read through the authoring plane (C-1…C-5). */
import { type CaseDocument, caseId, parseCaseDocument, sameCase } from "../spec/cases/index.js";
import { workflowPaths } from "../spec/index.js";
import { type Authoring, type Backend, createAuthoring, createFilesystemBackend } from "../workspace/index.js";

/** A case file that was found; it may not parse (C-1, C-4). */
export interface DiscoveredCase {
  /** The path below `tests/` without the extension. */
  id: string;
  /** Workspace path. */
  file: string;
}

/** The cases of a workflow, sorted by path; empty where there is no `tests/`. */
export function discoverCases(options: {
  workflow: string;
  rootDir?: string;
  authoring?: Backend;
}): Promise<DiscoveredCase[]> {
  return casesIn(planeOf(options), options.workflow);
}

/** Where spec, cases and fixtures are read (C-52). */
export function planeOf({ rootDir = ".", authoring }: { rootDir?: string; authoring?: Backend }): Authoring {
  return createAuthoring(authoring ?? createFilesystemBackend(rootDir));
}

export async function casesIn(plane: Authoring, workflow: string): Promise<DiscoveredCase[]> {
  const { root, tests } = workflowPaths(workflow);
  const files = await plane.listFiles(workflow, "tests");
  return files
    .filter((path) => /\.test\.ya?ml$/.test(path))
    .map((path) => `${root}/${path}`)
    .sort()
    .map((file) => ({ id: caseId(file, tests), file }));
}

export interface ParsedCase extends DiscoveredCase {
  /** The document, or why there is none. */
  parsed: CaseDocument | Error;
}

/** C-4: nothing runs before every file has been read. */
export async function parseCases(
  plane: Authoring,
  workflow: string,
  found: readonly DiscoveredCase[],
): Promise<ParsedCase[]> {
  const { root, tests } = workflowPaths(workflow);
  return Promise.all(
    found.map(async ({ id, file }) => {
      const twin = found.find((other) => other.id === id)!;
      if (twin.file !== file) return { id, file, parsed: new Error(sameCase(file, twin.file)) };
      const source = await plane.readFile(workflow, file.slice(root.length + 1));
      return {
        id,
        file,
        parsed: source === null ? new Error(`${file} is no UTF-8 text.`) : parse(file, source, tests),
      };
    }),
  );
}

function parse(file: string, source: string, tests: string): CaseDocument | Error {
  try {
    return parseCaseDocument(file, source, tests);
  } catch (error) {
    return error as Error;
  }
}
