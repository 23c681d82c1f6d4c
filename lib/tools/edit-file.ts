/** `edit_file`, reconciled by hashes (S-42). */
import { z } from "zod";
import { countOccurrences, isBinaryPath, textFromBytes } from "../workspace/index.js";
import { FileToolFailure, failureFrom, fileTool, find, mustFind, sha256, shownPath } from "./file-tool.js";
import type { RuntimeTool, ToolContext } from "./types.js";

const schema = z.object({
  file_path: z.string().min(1, "must name a file").describe("Path of the file in the workspace."),
  old_string: z.string().describe("Text to replace, exactly as it stands in the file."),
  new_string: z.string().describe("Text to put in its place."),
  replace_all: z.boolean().default(false).describe("Replace every occurrence instead of the only one."),
});
type Edit = z.output<typeof schema>;

/** What the entry before the call holds: null hashes mean that the call can only be refused. */
interface Before {
  found: string | null;
  expected: string | null;
  occurrences: number;
}

export function editFile(): RuntimeTool {
  return fileTool({
    name: "edit_file",
    description:
      "Replaces exact text in a file. `old_string` must occur exactly once, or set `replace_all`. Read the file first, " +
      "and leave out the line numbers that `read_file` shows.",
    schema,
    effect: "reconciled",
    async run(edit, context) {
      const { occurrences } = await plan(edit, context);
      const { file_path, old_string, new_string, replace_all } = edit;
      const result = await context.workspace.edit(file_path, old_string, new_string, replace_all);
      if (result.error !== undefined) throw failureFrom(result.error, file_path, "edited");
      return answer(edit, occurrences);
    },
    async before(edit, context): Promise<Before> {
      try {
        const { text, edited, occurrences } = await plan(edit, context);
        return { found: sha256(text), expected: sha256(edited), occurrences };
      } catch (error) {
        if (error instanceof FileToolFailure) return { found: null, expected: null, occurrences: 0 };
        throw error;
      }
    },
    async reconcile(edit, { workspace }, before) {
      const { found, expected, occurrences } = before as Before;
      if (found === null) return { kind: "not-done" };
      const now = await find(workspace, edit.file_path);
      const hash = now.kind === "file" ? sha256(now.bytes) : null;
      if (hash === found) return { kind: "not-done" };
      return hash === expected ? { kind: "done", result: answer(edit, occurrences) } : { kind: "unknown" };
    },
  });
}

/** The text before and after, or the failure that refuses the edit. */
async function plan(edit: Edit, { workspace }: ToolContext) {
  const shown = shownPath(edit.file_path);
  const bytes = await mustFind(workspace, edit.file_path);
  const text = isBinaryPath(edit.file_path) ? null : textFromBytes(bytes);
  if (text === null || text.includes("\0")) throw new FileToolFailure(`${shown} is not text and cannot be edited.`);
  if (edit.old_string === "") throw new FileToolFailure("`old_string` is empty; give the text to replace.");
  if (edit.old_string === edit.new_string)
    throw new FileToolFailure("`old_string` and `new_string` are the same text.");
  if (!edit.new_string.isWellFormed()) throw new FileToolFailure("`new_string` holds half a surrogate pair.");
  const occurrences = countOccurrences(text, edit.old_string);
  if (occurrences === 0) throw new FileToolFailure(`\`old_string\` does not occur in ${shown}.`);
  if (occurrences > 1 && !edit.replace_all) {
    throw new FileToolFailure(
      `\`old_string\` occurs ${occurrences} times in ${shown}; give more of its surroundings, or set \`replace_all\`.`,
    );
  }
  return { text, edited: text.split(edit.old_string).join(edit.new_string), occurrences };
}

function answer(edit: Edit, occurrences: number): string {
  return `Edited ${shownPath(edit.file_path)}: ${occurrences} ${occurrences === 1 ? "replacement" : "replacements"}.`;
}
