/** `read_file` (R-233…R-236). */
import { z } from "zod";
import {
  binaryMediaType,
  isTextMediaType,
  linesOf,
  mediaTypeOf,
  OCTET_STREAM,
  pictureMediaType,
} from "../workspace/index.js";
import { FileToolFailure, failureFor, failureFrom, fileTool, isFolder, shownPath, shownSize } from "./file-tool.js";
import type { RuntimeTool, ToolContext } from "./types.js";

const DEFAULT_LIMIT = 100;
/** A longer line is shown in pieces (R-233). */
const MAX_LINE_CHARS = 5_000;
/** A longer answer is cut (R-233). */
const MAX_ANSWER_CHARS = 80_000;

const schema = z.object({
  file_path: z.string().min(1, "must name a file").describe("Path of the file in the workspace."),
  offset: z.int().min(0).optional().describe("First line to show, counted from 0. Default 0."),
  limit: z.int().min(1).optional().describe(`How many lines to show. Default ${DEFAULT_LIMIT}.`),
});

/** `pictures`: whether the model is told that it can look at them. */
export function readFileTool({ pictures }: { pictures: boolean }): RuntimeTool {
  return fileTool({
    name: "read_file",
    description:
      `Reads a text file. Lines come with their numbers, ${DEFAULT_LIMIT} at a time unless \`limit\` says otherwise; ` +
      "go on in a long file with `offset`. Read a file before you edit it. " +
      (pictures ? "A picture (PNG, JPEG, GIF, WebP) is shown to you; other files" : "Files") +
      " that are not text cannot be read.",
    schema,
    effect: "read-only",
    async run({ file_path, offset, limit }, context) {
      const found = await contentAt(file_path, context);
      if ("picture" in found) return found.picture;
      if (context.caller === "script") return found.text;
      return numbered(file_path, found.text, { offset: offset ?? 0, limit: limit ?? DEFAULT_LIMIT });
    },
  });
}

/** The whole text. @throws {FileToolFailure} for what is missing, a folder or not text (R-235) */
export async function textAt(path: string, { workspace }: Pick<ToolContext, "workspace">): Promise<string> {
  const found = await contentAt(path, { workspace, caller: "script" });
  return "text" in found ? found.text : found.picture;
}

/** The file's text, or the line that says that its picture is shown. @throws {FileToolFailure} for other bytes */
async function contentAt(
  path: string,
  context: Pick<ToolContext, "workspace" | "caller" | "showPicture">,
): Promise<{ text: string } | { picture: string }> {
  const { workspace } = context;
  const { data, error } = await workspace.readRaw(path);
  if (!data) {
    if (await isFolder(workspace, path)) throw failureFor(path, "folder");
    throw failureFrom(error ?? "", path, "read");
  }
  const { content, mimeType } = data;
  const textual =
    typeof content === "string" &&
    binaryMediaType(path) === null &&
    (mimeType === undefined || isTextMediaType(mimeType)) &&
    !content.includes("\0");
  if (textual) return { text: content };
  const bytes = await bytesOf(path, content, workspace);
  const picture = context.caller === "model" && context.showPicture ? pictureMediaType(bytes) : null;
  if (picture !== null) {
    context.showPicture?.(shownPath(path));
    return {
      picture: `${shownPath(path)} is a picture (${picture}, ${shownSize(bytes.length)}). It follows these results.`,
    };
  }
  const type = typeOf(path, content, mimeType);
  throw new FileToolFailure(`${shownPath(path)} is not text (${type}, ${shownSize(bytes.length)}).`);
}

function typeOf(path: string, content: string | Uint8Array, reported: string | undefined): string {
  const known = binaryMediaType(path);
  if (known !== null) return known;
  if (reported !== undefined && !isTextMediaType(reported)) return reported;
  return typeof content === "string" ? OCTET_STREAM : mediaTypeOf("", content).replace(/^text\/.*/, OCTET_STREAM);
}

/** The stored bytes; a store may answer a binary file as base64. */
async function bytesOf(path: string, content: string | Uint8Array, workspace: ToolContext["workspace"]) {
  if (typeof content !== "string") return content;
  const [file] = await workspace.downloadFiles([path]);
  return file?.content ?? new TextEncoder().encode(content);
}

function numbered(path: string, text: string, range: { offset: number; limit: number }): string {
  if (text === "") return `${shownPath(path)} is empty.`;
  const lines = linesOf(text);
  if (range.offset >= lines.length) {
    throw new FileToolFailure(
      `\`offset\` ${range.offset} is past the end of ${shownPath(path)}, which has ${lines.length} lines (counted from 0).`,
    );
  }
  const shown = lines.slice(range.offset, range.offset + range.limit).map((line, index) => ({
    next: range.offset + index + 1,
    text: numberedLine(range.offset + index + 1, line),
  }));
  return cut(shown, range);
}

/** `   12⇥text`, and `   12.1⇥…` for the pieces that continue a long line. */
function numberedLine(number: number, line: string): string {
  return pieces(line)
    .map((piece, index) => `${(index === 0 ? String(number) : `${number}.${index}`).padStart(6)}\t${piece}`)
    .join("\n");
}

/** Pieces of at most MAX_LINE_CHARS; no surrogate pair is torn. */
function pieces(line: string): string[] {
  if (line.length <= MAX_LINE_CHARS) return [line];
  const parts: string[] = [];
  for (let start = 0; start < line.length; ) {
    let end = Math.min(start + MAX_LINE_CHARS, line.length);
    if (end < line.length && /[\uD800-\uDBFF]/.test(line[end - 1]!)) end -= 1;
    parts.push(line.slice(start, end));
    start = end;
  }
  return parts;
}

function cut(lines: readonly { next: number; text: string }[], { offset, limit }: { offset: number; limit: number }) {
  const whole = lines.map(({ text }) => text).join("\n");
  if (whole.length <= MAX_ANSWER_CHARS) return whole;
  const notice = (next: number) =>
    `\n[The answer was cut at ${MAX_ANSWER_CHARS} characters. Ask for less: go on with \`offset\` ${next}, or give a smaller \`limit\`.]`;
  const room = MAX_ANSWER_CHARS - notice(offset + limit).length;
  let kept = "";
  let next = offset;
  for (const line of lines) {
    const longer = kept === "" ? line.text : `${kept}\n${line.text}`;
    if (longer.length > room) break;
    kept = longer;
    next = line.next;
  }
  // One line alone may fill the answer: its beginning is shown, and the next line is where to go on.
  if (kept === "") return lines[0]!.text.slice(0, room) + notice(offset + 1);
  return kept + notice(next);
}
