/** From a workflow's text to its machine. */
import { compileMachine, runtimeContractOf } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import { type DiagnosticCode, isSlug, makeDiagnostic, parseSpec, workflowPaths } from "../spec/index.js";
import { type Authoring, opensWithFrontmatter } from "../workspace/index.js";
import { UnsupportedRuntimeContractError, WorkflowLoadError } from "./errors.js";

/** H-26, H-27: fails closed, with every finding of the document, or with what validation says of its files (W-22). */
export async function loadMachine(
  authoring: Pick<Authoring, "readSpec" | "readAddendum">,
  workflow: string,
): Promise<Machine> {
  const { spec: file, prose } = workflowPaths(workflow);
  const refused = (code: DiagnosticCode, message: string, at: string) =>
    new WorkflowLoadError(workflow, file, [makeDiagnostic(code, message, { file: at })]);
  if (!isSlug(workflow)) {
    const code = workflow.trim() === "" ? "workflow/slug-missing" : "workflow/slug";
    throw refused(code, "a workflow is named by a slug: lower-case words joined by hyphens", file);
  }
  const [text, addendum] = await Promise.all([authoring.readSpec(workflow), authoring.readAddendum(workflow)]);
  const isProseMachine = opensWithFrontmatter(addendum ?? "");
  if (text === null) {
    if (!isProseMachine) throw refused("file/missing", "there is no workflow.yaml", file);
    throw refused("file/legacy-single-file", "move the frontmatter of WORKFLOW.md into workflow.yaml", prose);
  }
  if (isProseMachine) {
    throw refused(
      "file/competing-machines",
      "it has frontmatter of its own beside workflow.yaml; remove one of the two",
      prose,
    );
  }
  const parsed = parseSpec(text, { file });
  if (!parsed.ok) {
    const issues = parsed.diagnostics.filter((diagnostic) => diagnostic.class === "load");
    if (issues.every(({ code }) => code.startsWith("runtime/unsupported"))) {
      const { engine, version } = runtimeContractOf(parsed.spec ?? {});
      throw new UnsupportedRuntimeContractError({ engine, version });
    }
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
  return text !== null || opensWithFrontmatter(addendum ?? "");
}
