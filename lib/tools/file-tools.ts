/** The built-in file tools (R-231…R-244, S-42), in registration order. */
import { editFile } from "./edit-file.js";
import { copyFile, moveFile, removeFile } from "./file-operations.js";
import { listingTool, searchTools } from "./file-search.js";
import { readFileTool } from "./read-file.js";
import type { RuntimeTool } from "./types.js";
import { writeFileTool } from "./write-file.js";

/**
 * The nine file tools. Each answers an ordinary failure with a text that begins `Error: ` and names the workspace path
 * what the store says of itself is never passed on.
 */
export function createFileTools({ pictures = false } = {}): RuntimeTool[] {
  const { glob, grep } = searchTools();
  return [
    listingTool(),
    readFileTool({ pictures }),
    writeFileTool(),
    editFile(),
    glob,
    grep,
    copyFile(),
    moveFile(),
    removeFile(),
  ];
}
