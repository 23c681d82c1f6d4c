/** Results too large for a transcript. */
import { linesOf, type Workspace } from "../workspace/index.js";

const MAX_RESULT_CHARS = 80_000;
const PREVIEW_LINES = 5;
/** A line of the preview is shown up to here, so that one endless line cannot make the preview large. */
const MAX_PREVIEW_LINE_CHARS = 1_000;

const EXEMPT: ReadonlySet<string> = new Set([
  "ls",
  "glob",
  "grep",
  "read_file",
  "write_file",
  "edit_file",
  "copy_file",
  "move_file",
  "remove_file",
]);

/**
 * The text to put into the transcript for a tool's result. A result over 80,000 characters is written to
 * `large_tool_results/<callId>.txt` and replaced by that path and its first and last lines; doing it again for the same
 * call writes the same file. For calls a model made; a script gets every result whole.
 *
 * @param area - where the file goes: the session's own area, which no mount and no rule stands in front of
 * @returns the result as it is where it is small or its tool exempt, or where the file could not be written
 */
export async function offloadLargeResult(
  area: Pick<Workspace, "write">,
  { callId, tool, text }: { callId: string; tool: string; text: string },
): Promise<string> {
  if (text.length <= MAX_RESULT_CHARS || EXEMPT.has(tool)) return text;
  const path = `/large_tool_results/${callId.replace(/[^A-Za-z0-9_-]/g, "_")}.txt`;
  const { error } = await area.write(path, text.toWellFormed());
  if (error !== undefined) return text;
  return preview(path, text);
}

function preview(path: string, text: string): string {
  const lines = linesOf(text);
  const first = lines.slice(0, PREVIEW_LINES);
  const last = lines.slice(Math.max(PREVIEW_LINES, lines.length - PREVIEW_LINES));
  const left = lines.length - first.length - last.length;
  return [
    `The result has ${text.length} characters and was written to ${path}. Read it there in parts with \`read_file\`.`,
    "",
    ...first.map(shortened),
    ...(left > 0 ? [`[… ${left} lines …]`] : []),
    ...last.map(shortened),
  ].join("\n");
}

function shortened(line: string): string {
  return line.length <= MAX_PREVIEW_LINE_CHARS ? line : `${line.slice(0, MAX_PREVIEW_LINE_CHARS)}…`;
}
