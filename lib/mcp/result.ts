/** A tool's result as the answer's text (A-60). */
import type { CallToolResult } from "@modelcontextprotocol/client";
import { McpToolError } from "./errors.js";

type Part = CallToolResult["content"][number];

/** @throws {McpToolError} with the result's text where it says that the tool failed */
export function textOfCallResult({ content, structuredContent, isError }: CallToolResult): string {
  if (isError) throw new McpToolError(textOfParts(content) || "The tool failed and did not say why.");
  return structuredContent === undefined ? textOfParts(content) : JSON.stringify(structuredContent);
}

/** Texts a line each; what is no text is named, never quoted. */
function textOfParts(parts: readonly Part[]): string {
  return parts.map(textOfPart).join("\n");
}

function textOfPart(part: Part): string {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return shown(part.type, part.mimeType, Buffer.byteLength(part.data, "base64"));
    case "resource": {
      const { resource } = part;
      const bytes = "blob" in resource ? Buffer.byteLength(resource.blob, "base64") : Buffer.byteLength(resource.text);
      return shown(`resource ${resource.uri}`, resource.mimeType, bytes);
    }
    case "resource_link":
      return shown(`resource_link ${part.uri}`, part.mimeType, part.size);
  }
}

function shown(what: string, mimeType: string | undefined, bytes: number | undefined): string {
  return `[${[what, mimeType, bytes === undefined ? undefined : `${bytes} bytes`].filter(Boolean).join(", ")}]`;
}
