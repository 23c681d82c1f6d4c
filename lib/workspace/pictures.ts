/** Which bytes are a picture that models can be shown. */

export type PictureMediaType = "image/png" | "image/jpeg" | "image/gif" | "image/webp";

/** By what the bytes begin with: a file's name may say something else, and a provider refuses what it cannot decode. */
export function pictureMediaType(bytes: Uint8Array): PictureMediaType | null {
  if (startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(bytes, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (startsWith(bytes, text("GIF87a")) || startsWith(bytes, text("GIF89a"))) return "image/gif";
  if (startsWith(bytes, text("RIFF")) && startsWith(bytes.subarray(8), text("WEBP"))) return "image/webp";
  return null;
}

function startsWith(bytes: Uint8Array, beginning: readonly number[]): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}

function text(letters: string): number[] {
  return [...letters].map((letter) => letter.charCodeAt(0));
}
