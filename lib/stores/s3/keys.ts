/**
 * Where objects lie in the bucket. All keys begin with the prefix; of a file's nothing is encoded, so its address is the
 * one that hosts know (H-89).
 *
 * ```text
 * <prefix><sessionId>/<path>            a session's file
 * <prefix>_specs/<hash>.json            shared by all sessions
 * <prefix>.parkway/uploads/…            shared: files of arrivals not placed yet (S-10)
 * <prefix>.parkway/areas/<sessionId>    empty: a session of this id, which holds a "/", has files here
 * <prefix>.parkway/values/<area>/<name> values too large for an item (S-74); the area in base64url, so that none of them
 *                                       lies below another's
 * ```
 *
 * No session's id begins with `.parkway` or `_specs`, so none owns these.
 */
import { InvalidSessionPathError } from "../../session/errors.js";

/** S3 user guide, "Naming Amazon S3 objects": a key is at most 1,024 bytes of UTF-8. */
const MAX_KEY_BYTES = 1_024;

/** Characters that XML 1.0 has no way to write; listings and batch deletions are XML. */
const UNWRITABLE = /[\ufffe\uffff]/;

export interface Layout {
  file(sessionId: string, path: string): string;
  shared(path: string): string;
  area(sessionId: string): string;
  /** What the keys of all values begin with. */
  values: string;
  value(area: string, name: string): string;
  /** Of a value's key. */
  valueOf(key: string): { area: string; name: string };
}

/** @param prefix - a "/" is added to one that has none, so that `run` is no prefix of `run7/…` */
export function layoutUnder(prefix = ""): Layout {
  const bare = prefix.replace(/^\/+/, "");
  const base = bare === "" || bare.endsWith("/") ? bare : `${bare}/`;
  const values = `${base}.parkway/values/`;
  return {
    file: (sessionId, path) => `${base}${sessionId}/${path}`,
    shared: (path) => base + path,
    area: (sessionId) => `${base}.parkway/areas/${sessionId}`,
    value: (area, name) => `${values}${Buffer.from(area).toString("base64url")}/${name}`,
    values,
    valueOf: (key) => {
      const [area = "", name = ""] = key.slice(values.length).split("/");
      return { area: Buffer.from(area, "base64url").toString(), name };
    },
  };
}

/** Why no object can have this key; null when one can. */
export function keyRejection(key: string): string | null {
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    return `with the session's id and the prefix it is longer than ${MAX_KEY_BYTES} bytes`;
  }
  if (!key.isWellFormed() || UNWRITABLE.test(key)) return "it holds a character that no object's name can have";
  return null;
}

/** @throws {InvalidSessionPathError} when the store has no key for the path */
export function requireKey(key: string, path: string): string {
  const reason = keyRejection(key);
  if (reason !== null) throw new InvalidSessionPathError(path, reason);
  return key;
}
