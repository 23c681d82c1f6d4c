/** The workflow's directory and its two files (W-6…W-8, W-56). */
import { isSlug, workflowPaths } from "../../spec/index.js";
import { opensWithFrontmatter } from "../authoring.js";
import type { AuthoredFiles } from "./files.js";
import { quote, type Report } from "./subject.js";

/** W-56. False when no directory can be meant, so that nothing further is looked at. */
export function checkWorkflowSlug(workflow: string, report: Report): boolean {
  if (workflow.trim() === "") {
    const message = "No workflow was named; give the name of a directory in workflows/.";
    report({ code: "workflow/slug-missing", message }, { file: "workflows" });
    return false;
  }
  if (isSlug(workflow)) return true;
  const message = `${quote(workflow)} is no slug; rename the directory to lower-case words joined by hyphens, such as refund-desk.`;
  report({ code: "workflow/slug", message }, { file: workflowPaths(workflow).root });
  return !/[/\\]|^\.{1,2}$/.test(workflow);
}

/** The text of `workflow.yaml`, or null with the finding that says why there is none (W-7, W-8). */
export async function readWorkflowFile(workflow: string, files: AuthoredFiles, report: Report): Promise<string | null> {
  const { root, spec, prose } = workflowPaths(workflow);
  const text = await files.read(spec);
  const legacy = opensWithFrontmatter((await files.read(prose)) ?? "");
  if (text === null && legacy) {
    report(
      {
        code: "file/legacy-single-file",
        message: `${prose} holds the machine in its frontmatter, which is not read; move the frontmatter into ${spec}.`,
      },
      { file: prose, line: 1, column: 1 },
    );
  } else if (text === null) {
    report({ code: "file/missing", message: `${root}/ has no workflow.yaml; the name is exact and in lower case.` });
  } else if (legacy) {
    report(
      {
        code: "file/competing-machines",
        message: `${prose} opens with frontmatter beside ${spec}; remove the frontmatter, the prose may stay.`,
      },
      { file: prose, line: 1, column: 1 },
    );
  }
  return text;
}
