/** From a workflow's text to its machine. */
import { compileMachine } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import { parseSpec, workflowPaths } from "../spec/index.js";
import type { Authoring } from "../workspace/index.js";
import { UnsupportedRuntimeContractError, WorkflowLoadError } from "./errors.js";

/** H-26, H-27: fails closed, with every finding of the document. */
export async function loadMachine(
  authoring: Pick<Authoring, "readSpec" | "readAddendum">,
  workflow: string,
): Promise<Machine> {
  const file = workflowPaths(workflow).spec;
  const [text, addendum] = await Promise.all([authoring.readSpec(workflow), authoring.readAddendum(workflow)]);
  const frontmatter = hasFrontmatter(addendum);
  if (text === null) {
    const code = frontmatter ? "file/legacy-single-file" : "file/missing";
    throw loadError(
      workflow,
      file,
      code,
      frontmatter ? "move the frontmatter of WORKFLOW.md into workflow.yaml" : "there is no workflow.yaml",
    );
  }
  if (frontmatter) {
    throw loadError(
      workflow,
      file,
      "file/competing-machines",
      "WORKFLOW.md beside it has frontmatter of its own; remove one of the two",
    );
  }
  const parsed = parseSpec(text, { file });
  if (!parsed.ok) {
    const issues = parsed.diagnostics.filter((diagnostic) => diagnostic.class === "load");
    const contract = issues.find((issue) => issue.code.startsWith("runtime/unsupported"));
    if (contract && issues.length === 1) throw new UnsupportedRuntimeContractError(requestedContract(text));
    throw new WorkflowLoadError(workflow, file, issues);
  }
  return compileMachine(parsed, workflow);
}

/** Whether there is something to load, be it what fails to (H-25, H-26). */
export async function declaresMachine(
  authoring: Pick<Authoring, "readSpec" | "readAddendum">,
  workflow: string,
): Promise<boolean> {
  const [text, addendum] = await Promise.all([authoring.readSpec(workflow), authoring.readAddendum(workflow)]);
  return text !== null || hasFrontmatter(addendum);
}

function hasFrontmatter(addendum: string | null): boolean {
  return addendum?.replace(/^\uFEFF/, "").startsWith("---\n") ?? false;
}

function loadError(workflow: string, file: string, code: string, message: string): WorkflowLoadError {
  return new WorkflowLoadError(workflow, file, [{ code, severity: "error", class: "load", message, file }]);
}

function requestedContract(text: string): { engine: string; version: string } {
  const engine = /engine:\s*["']?([^\s,"'}]+)/.exec(text)?.[1] ?? "archmax-harness";
  const version = /version:\s*["']?([^\s,"'}]+)/.exec(text)?.[1] ?? "3";
  return { engine, version };
}
