/** Bytes, text and base64, without ever altering a file (R-235, R-237, R-244, H-83). */
import { BINARY_MIME_TYPES } from "../spec/index.js";

export const OCTET_STREAM = "application/octet-stream";

/** The media type that the extension of `path` stands for, or null when it is not in the table of R-235. */
export function binaryMediaType(path: string): string | null {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const dot = name.lastIndexOf(".");
  if (dot < 0) return null;
  const extension = name.slice(dot + 1).toLowerCase();
  return Object.hasOwn(BINARY_MIME_TYPES, extension) ? (BINARY_MIME_TYPES[extension] ?? null) : null;
}

/** Whether a `write` to the path carries base64 (H-83). */
export function isBinaryPath(path: string): boolean {
  return binaryMediaType(path) !== null;
}

/** What a file is called for a reader: the table's type, else plain text when it is text, else bytes. */
export function mediaTypeOf(path: string, bytes: Uint8Array): string {
  return binaryMediaType(path) ?? (textFromBytes(bytes) === null ? OCTET_STREAM : "text/plain");
}

/** Whether a media type that a store reports means text; SVG does. */
export function isTextMediaType(mediaType: string): boolean {
  const type = mediaType.split(";", 1)[0]!.trim().toLowerCase();
  return (
    type.startsWith("text/") ||
    /[+](json|xml|yaml)$/.test(type) ||
    /^application\/(json|x-ndjson|xml|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|typescript|sql|x-sh|graphql)$/.test(
      type,
    )
  );
}

/** The text of UTF-8 bytes, a byte order mark kept; null when they are not valid UTF-8. */
export function textFromBytes(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** UTF-8 of a text; null when it holds half a surrogate pair, which UTF-8 cannot carry. */
export function bytesFromText(text: string): Uint8Array | null {
  return text.isWellFormed() ? new TextEncoder().encode(text) : null;
}

/** Standard base64 (white space between is allowed), or null when the text is anything else. */
export function bytesFromBase64(text: string): Uint8Array | null {
  const compact = text.replace(/[ \t\r\n]/g, "");
  if (compact.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(compact)) return null;
  const bytes = Buffer.from(compact, "base64");
  return bytes.toString("base64") === compact ? new Uint8Array(bytes) : null;
}

export function base64FromBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** The bytes a `write` of `content` to `path` stores, or null when the content cannot be stored as it is. */
export function bytesToStore(path: string, content: string): Uint8Array | null {
  return isBinaryPath(path) ? bytesFromBase64(content) : bytesFromText(content);
}

export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}
