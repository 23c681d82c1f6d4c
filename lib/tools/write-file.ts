/** `write_file`. */
import { z } from "zod";
import { bytesToStore, isBinaryPath } from "../workspace/index.js";
import { FileToolFailure, failureFor, failureFrom, fileTool, find, shownPath, shownSize } from "./file-tool.js";
import type { RuntimeTool } from "./types.js";

const schema = z.object({
  file_path: z.string().min(1, "must name a file").describe("Path of the file in the workspace."),
  content: z.string().describe("The whole content; base64 for pictures, audio, video, PDF and PowerPoint files."),
});

export function writeFileTool(): RuntimeTool {
  return fileTool({
    name: "write_file",
    description:
      "Writes a file: creates it, folders included, or replaces it whole. To change a part of a file use `edit_file`. " +
      "For a binary file (known by its extension) `content` is base64.",
    schema,
    effect: "idempotent",
    async run({ file_path, content }, { workspace }) {
      const bytes = bytesToStore(file_path, content);
      if (bytes === null) {
        const why = isBinaryPath(file_path) ? "`content` is not valid base64" : "`content` holds half a surrogate pair";
        throw new FileToolFailure(`${shownPath(file_path)} was not written: ${why}.`);
      }
      const { error } = await workspace.write(file_path, content);
      if (error !== undefined) {
        if ((await find(workspace, file_path)).kind === "folder") throw failureFor(file_path, "folder");
        throw failureFrom(error, file_path, "written");
      }
      return `Wrote ${shownPath(file_path)} (${shownSize(bytes.length)}).`;
    },
  });
}
