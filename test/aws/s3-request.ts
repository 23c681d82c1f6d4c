/** What a request to S3 asks for, and the refusals that need no look at the stored objects. */
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";

export interface S3Request {
  method: string;
  bucket: string;
  /** Empty for requests about the bucket. */
  key: string;
  query: Record<string, string>;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

export interface Refusal {
  status: number;
  code: string;
  message: string;
}

/**
 * Query parameters that stand-in and emulator know. Not among them: uploads in parts, which nothing here makes, and single
 * versions, whose parameter the emulator would ignore.
 */
const KNOWN_PARAMETERS = new Set([
  ...["x-id", "list-type", "prefix", "delimiter", "max-keys", "continuation-token", "start-after", "encoding-type"],
  ...["fetch-owner", "delete", "versions", "key-marker", "version-id-marker", "lifecycle"],
]);

const MAX_KEY_BYTES = 1_024;

/** The service's name for the operation, for planned faults and for what tests look at. */
export function operationOf({ method, key, query }: S3Request): string {
  if (key === "") {
    if (method === "GET") return "versions" in query ? "ListObjectVersions" : "ListObjects";
    if (method === "POST") return "DeleteObjects";
    return `${method} bucket`;
  }
  const names: Record<string, string> = {
    GET: "GetObject",
    HEAD: "HeadObject",
    PUT: "PutObject",
    DELETE: "DeleteObject",
  };
  return names[method] ?? `${method} object`;
}

/**
 * F-86: what the emulator takes and the service refuses. It would answer an unknown sub-resource (`?tagging`, `?acl`) by
 * overwriting the object with the request's body, and stores a body whatever its checksum says.
 */
export function plainRefusal(request: S3Request): Refusal | null {
  const { key, query, headers, method } = request;
  const unknown = Object.keys(query).find((name) => !KNOWN_PARAMETERS.has(name) && !/^x-amz-/i.test(name));
  if (unknown !== undefined) return notImplemented(`The parameter "${unknown}" is not known here.`);
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) {
    return { status: 400, code: "KeyTooLongError", message: "Your key is too long." };
  }
  const isWrite = method === "PUT" && key !== "";
  if (isWrite && ![undefined, "*"].includes(single(headers["if-none-match"]))) {
    return notImplemented("If-None-Match takes only * here.");
  }
  return isWrite || operationOf(request) === "DeleteObjects" ? checksumRefusal(request) : null;
}

export function notImplemented(message: string): Refusal {
  return { status: 501, code: "NotImplemented", message };
}

export function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

function checksumRefusal(request: S3Request): Refusal | null {
  const { headers, query } = request;
  const isChunked = (single(headers["content-encoding"]) ?? "").includes("aws-chunked");
  // The emulator decodes chunks itself; what follows them is checked by nobody.
  if (isChunked) return notImplemented("Bodies in chunks are not taken here: send the whole body.");
  const given = Object.entries(CHECKSUMS).flatMap(([header, digest]) => {
    const value = single(headers[header]);
    return value === undefined ? [] : [{ value, digest }];
  });
  const unknown = Object.keys(headers).find(
    (name) => /^x-amz-checksum-(?!mode|algorithm|type)/.test(name) && !CHECKSUMS[name],
  );
  if (unknown !== undefined) return notImplemented(`The checksum "${unknown}" is not known here.`);
  if (given.some(({ value, digest }) => digest(request.body) !== value)) {
    return { status: 400, code: "BadDigest", message: "The checksum did not match what was received." };
  }
  if ("delete" in query && given.length === 0) {
    return { status: 400, code: "InvalidRequest", message: "Missing required header for this request: a checksum." };
  }
  return null;
}

const CHECKSUMS: Record<string, (body: Buffer) => string> = {
  "content-md5": (body) => createHash("md5").update(body).digest("base64"),
  "x-amz-checksum-sha1": (body) => createHash("sha1").update(body).digest("base64"),
  "x-amz-checksum-sha256": (body) => createHash("sha256").update(body).digest("base64"),
  "x-amz-checksum-crc32"(body) {
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    return sum.toString("base64");
  },
};
