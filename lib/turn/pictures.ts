/**
 * The pictures of a session as a request needs them (R-236, H-24). The transcript holds paths; the bytes are read for each
 * request and go nowhere else (F-44).
 */
import type { AttachedPicture } from "../models/types.js";
import type { StoredMessage } from "../session/messages.js";
import { pictureMediaType } from "../workspace/index.js";
import type { Workspace } from "../workspace/types.js";

export interface PictureLimits {
  /** Size of one picture; default 10 MB. */
  maxBytes: number;
  /** How many of the most recent stay attached; default all. */
  keep: number;
}

const DEFAULTS: PictureLimits = { maxBytes: 10 * 1024 * 1024, keep: Number.POSITIVE_INFINITY };

/** The option `images` (H-24); null when it is off. @throws {TypeError} */
export function pictureLimits(
  option: boolean | { maxBytes?: number; keep?: number } | undefined,
): PictureLimits | null {
  if (option === undefined || option === false) return null;
  if (option === true) return DEFAULTS;
  if (typeof option !== "object" || option === null) throw new TypeError("images must be true, false or an object.");
  const unknown = Object.keys(option).filter((key) => !(key in DEFAULTS));
  if (unknown.length > 0) throw new TypeError(`images has no field ${unknown.map((key) => `"${key}"`).join(", ")}.`);
  const { maxBytes = DEFAULTS.maxBytes, keep = DEFAULTS.keep } = option;
  if (!Number.isSafeInteger(maxBytes) || maxBytes < 1)
    throw new TypeError("images.maxBytes must be a whole number from 1.");
  if (keep !== DEFAULTS.keep && (!Number.isSafeInteger(keep) || keep < 0))
    throw new TypeError("images.keep must be a whole number from 0.");
  return { maxBytes, keep };
}

/** What stands for each picture of the messages, by the id of the answer that named it. */
export async function attachedPictures(
  workspace: Workspace,
  messages: readonly StoredMessage[],
  limits: PictureLimits,
): Promise<ReadonlyMap<string, AttachedPicture>> {
  const named = messages.flatMap(({ id, additional_kwargs }) => {
    const path = additional_kwargs?.archmax?.picture;
    return path === undefined ? [] : [{ id, path }];
  });
  const dropped = Math.max(0, named.length - limits.keep);
  const entries = named.map(async ({ id, path }, index): Promise<[string, AttachedPicture]> => {
    if (index < dropped) {
      const kept = limits.keep === 1 ? "the most recent picture is" : `the ${limits.keep} most recent pictures are`;
      return [id, { text: `[${path} is no longer shown: only ${kept}. Read it again to see it.]` }];
    }
    return [id, await pictureAt(workspace, path, limits)];
  });
  return new Map(await Promise.all(entries));
}

async function pictureAt(workspace: Workspace, path: string, { maxBytes }: PictureLimits): Promise<AttachedPicture> {
  const [file] = await workspace.downloadFiles([path]);
  const bytes = file?.content;
  if (!bytes) return { text: `[${path} cannot be shown: the file cannot be read any more.]` };
  if (bytes.length > maxBytes)
    return { text: `[${path} cannot be shown: it has ${bytes.length} bytes, and at most ${maxBytes} are shown.]` };
  const mediaType = pictureMediaType(bytes);
  if (mediaType === null) return { text: `[${path} cannot be shown: it is not a picture any more.]` };
  return {
    text: path,
    mediaType,
    base64: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64"),
  };
}
