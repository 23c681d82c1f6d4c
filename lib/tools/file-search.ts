/** `ls`, `glob` and `grep`, without what the caller may not see. */
import { z } from "zod";
import { DEFAULT_MATCH_CAP, FINDS_TOO_MUCH, type GrepMatch, grepShown } from "../workspace/index.js";
import { FileToolFailure, failureFrom, fileTool, isVisible, shownPath } from "./file-tool.js";
import type { RuntimeTool, ToolContext } from "./types.js";

/** A longer matching line is shown to a model by its beginning. */
const MAX_SHOWN_LINE_CHARS = 1_000;

const lsSchema = z.object({
  path: z.string().default("/").describe("Folder to list. Default: the root of the workspace."),
});

const globSchema = z.object({
  pattern: z.string().min(1, "must not be empty").describe("`*` and `?` within a folder, `**` across folders."),
  path: z.string().default("/").describe("Folder the pattern is relative to. Default: the root."),
});

const grepSchema = z.object({
  pattern: z.string().min(1, "must not be empty").describe("The text to look for, literally."),
  path: z.string().default("/").describe("File or folder to search. Default: the whole workspace."),
  glob: z.string().min(1, "must not be empty").optional().describe("Only files that match, as `*.md` or `notes/**`."),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .default("content")
    .describe("Matching lines, only the files' paths, or the number of matching lines of each file."),
  max_count: z.int().min(1).optional().describe(`Matches at most. Default ${DEFAULT_MATCH_CAP}.`),
});
type Grep = z.output<typeof grepSchema>;

export function listingTool(): RuntimeTool {
  return fileTool({
    name: "ls",
    description: "Lists what lies directly in a folder, one path a line; folders end in a slash.",
    schema: lsSchema,
    effect: "read-only",
    async run({ path }, context) {
      const { files = [], error } = await context.workspace.ls(path);
      if (error !== undefined) throw failureFrom(error, path, "listed");
      return lines(
        files
          .filter((file) => isVisible(context, "ls", file.path))
          .map((file) => (file.isDir ? `${shownPath(file.path)}/` : shownPath(file.path)))
          .sort(),
        context,
        `${shownPath(path)} is empty.`,
      );
    },
  });
}

export function searchTools(): { glob: RuntimeTool; grep: RuntimeTool } {
  const glob = fileTool({
    name: "glob",
    description: "Lists the files whose paths match a pattern, one a line, sorted; names with a leading dot included.",
    schema: globSchema,
    effect: "read-only",
    async run({ pattern, path }, context) {
      const { files = [], error } = await context.workspace.glob(pattern, path);
      if (error !== undefined) throw failureFrom(error, path, "searched");
      const visible = files.map((file) => shownPath(file.path)).filter((file) => isVisible(context, "glob", file));
      return lines(visible.sort(), context, `No file matches ${pattern} in ${shownPath(path)}.`);
    },
  });
  const grep = fileTool({
    name: "grep",
    description:
      "Searches files for a text, literally (no regular expressions). Answers `path:line:text`, in path order.",
    schema: grepSchema,
    effect: "read-only",
    async run(search, context) {
      const { matches, truncated } = await visibleMatches(search, context);
      if (matches.length === 0) return lines([], context, "Nothing was found.");
      const shown = render(matches, search.output_mode, context);
      return truncated ? `${shown}\n[Stopped at ${matches.length} matches; there are more.]` : shown;
    },
  });
  return { glob, grep };
}

/**
 * At most the cap of matches that may be seen. Matches that may not must not use up the cap, so where some were taken
 * out of a cut answer more is asked for.
 */
async function visibleMatches(
  search: Grep,
  context: ToolContext,
): Promise<{ matches: GrepMatch[]; truncated: boolean }> {
  const cap = search.max_count ?? DEFAULT_MATCH_CAP;
  const { pattern, path, glob } = search;
  const found = await grepShown(
    cap,
    (maxCount) => context.workspace.grep(pattern, path, glob, maxCount),
    context.visible ? (match) => isVisible(context, "grep", match.path) : null,
  );
  const { matches = [], truncated = false, error } = found;
  if (error === FINDS_TOO_MUCH) {
    throw new FileToolFailure("The search finds too much; look in a folder, or add a `glob`.");
  }
  if (error !== undefined) throw failureFrom(error, path, "searched");
  return { matches: matches.slice(0, cap), truncated };
}

function render(matches: readonly GrepMatch[], mode: Grep["output_mode"], context: ToolContext): string {
  if (mode === "content") {
    return matches.map(({ path, line, text }) => `${shownPath(path)}:${line}:${shownLine(text, context)}`).join("\n");
  }
  const counts = new Map<string, number>();
  for (const { path } of matches) counts.set(shownPath(path), (counts.get(shownPath(path)) ?? 0) + 1);
  const files = [...counts].map(([path, count]) => (mode === "count" ? `${path}:${count}` : path));
  return files.join("\n");
}

function shownLine(text: string, { caller }: ToolContext): string {
  if (caller === "script" || text.length <= MAX_SHOWN_LINE_CHARS) return text;
  return `${text.slice(0, MAX_SHOWN_LINE_CHARS)}…`;
}

/** One item a line. An empty result is the empty text for a script, and says so to a model. */
function lines(items: readonly string[], { caller }: ToolContext, whenEmpty: string): string {
  if (items.length > 0) return items.join("\n");
  return caller === "script" ? "" : whenEmpty;
}
