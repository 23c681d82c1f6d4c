/** The XML answers of S3 that the emulator gives wrongly or not at all: listings in key order, versions, batch removals. */
import type { Faults } from "./faults.js";
import type { EmulatedObject, Version, VersionedObjects } from "./s3-objects.js";
import { notImplemented, type Refusal, type S3Request } from "./s3-request.js";

const MAX_PAGE = 1_000;

/** The page of a listing: current objects for `list-type=2`, all versions for `versions`. */
export function listingOf(objects: VersionedObjects, request: S3Request): string | Refusal {
  const { bucket, query } = request;
  if (query.delimiter && "versions" in query) return notImplemented("Versions by folder are not served here.");
  const isEncoded = query["encoding-type"] === "url";
  const page: Page = {
    query,
    text: isEncoded ? formEncoded : escapeXml,
    head: isEncoded ? "<EncodingType>url</EncodingType>" : "",
    limit: Math.min(Number(query["max-keys"] ?? MAX_PAGE), MAX_PAGE),
  };
  const prefix = query.prefix ?? "";
  if ("versions" in query) return versionsPage(objects.versions(bucket, prefix), page);
  if (query["list-type"] === "2") return objectsPage(objects.list(bucket, prefix), page);
  return notImplemented("Only the second kind of listing is served here.");
}

interface Page {
  query: Record<string, string>;
  /** How keys are written. */
  text: (key: string) => string;
  head: string;
  limit: number;
}

function versionsPage(all: Version[], { query, text, head, limit }: Page): string {
  const { "key-marker": from, "version-id-marker": marker } = query;
  const at = all.findIndex(({ key, versionId }) => key === from && versionId === marker);
  // What the last page ended with may be gone; what is left of its key is older and still to come.
  const isLeft = ({ key }: Version) =>
    from === undefined || isBehind(key, from) || (key === from && marker !== undefined);
  const left = at >= 0 ? all.slice(at + 1) : all.filter(isLeft);
  const page = left.slice(0, limit);
  const last = page.at(-1);
  const isCut = left.length > limit;
  const next =
    isCut && last
      ? `<NextKeyMarker>${text(last.key)}</NextKeyMarker><NextVersionIdMarker>${last.versionId}</NextVersionIdMarker>`
      : "";
  const entries = page.map(({ key, versionId, isLatest, object, at: changedAt }) => {
    const id = `<Key>${text(key)}</Key><VersionId>${versionId}</VersionId><IsLatest>${isLatest}</IsLatest>`;
    const common = `${id}<LastModified>${changedAt.toISOString()}</LastModified>`;
    if (!object) return `<DeleteMarker>${common}</DeleteMarker>`;
    return `<Version>${common}<ETag>${escapeXml(object.etag)}</ETag><Size>${object.contentLength}</Size></Version>`;
  });
  return xml("ListVersionsResult", `<IsTruncated>${isCut}</IsTruncated>${head}${next}${entries.join("")}`);
}

function objectsPage(all: EmulatedObject[], { query, text, head, limit }: Page): string {
  const token = query["continuation-token"];
  const from = token === undefined ? query["start-after"] : Buffer.from(token, "base64").toString();
  const left = rolledUp(
    all.filter(({ key }) => from === undefined || isBehind(key, from)),
    query,
  );
  const page = left.slice(0, limit);
  const last = page.at(-1);
  const isCut = left.length > limit;
  const end = last && ("folder" in last ? `${last.folder}\u{10FFFF}` : last.key);
  const next =
    isCut && end ? `<NextContinuationToken>${Buffer.from(end).toString("base64")}</NextContinuationToken>` : "";
  const entries = page.map((entry) => {
    if ("folder" in entry) return `<CommonPrefixes><Prefix>${text(entry.folder)}</Prefix></CommonPrefixes>`;
    const { key, etag, contentLength, lastModified } = entry;
    const about = `<ETag>${escapeXml(etag)}</ETag><Size>${contentLength}</Size>`;
    return `<Contents><Key>${text(key)}</Key><LastModified>${lastModified.toISOString()}</LastModified>${about}</Contents>`;
  });
  const counts = `<IsTruncated>${isCut}</IsTruncated><KeyCount>${page.length}</KeyCount>`;
  return xml("ListBucketResult", counts + head + next + entries.join(""));
}

/** With a delimiter, the keys that have it behind the prefix stand as one entry for each text up to it. */
function rolledUp(
  objects: EmulatedObject[],
  { prefix = "", delimiter }: Record<string, string>,
): (EmulatedObject | { folder: string })[] {
  if (!delimiter) return objects;
  const seen = new Set<string>();
  return objects.flatMap((object): (EmulatedObject | { folder: string })[] => {
    const at = object.key.indexOf(delimiter, prefix.length);
    if (at < 0) return [object];
    const folder = object.key.slice(0, at + delimiter.length);
    if (seen.has(folder)) return [];
    seen.add(folder);
    return [{ folder }];
  });
}

/** Removes what a batch names, but for the keys that are planned to be refused. */
export function removeBatch(objects: VersionedObjects, faults: Faults, request: S3Request): string | Refusal {
  const body = request.body.toString();
  const named = [...body.matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, inner = ""]) => ({
    key: unescapeXml(/<Key>(.*?)<\/Key>/s.exec(inner)?.[1] ?? ""),
    versionId: /<VersionId>(.*?)<\/VersionId>/.exec(inner)?.[1],
  }));
  if (named.length === 0 || named.length > MAX_PAGE) {
    return { status: 400, code: "MalformedXML", message: `A batch names between 1 and ${MAX_PAGE} keys.` };
  }
  const isQuiet = body.includes("<Quiet>true</Quiet>");
  const results = named.map(({ key, versionId }) => {
    const version = versionId === undefined ? "" : `<VersionId>${versionId}</VersionId>`;
    const refusal = faults.itemRefusal("DeleteObjects", key);
    if (refusal !== undefined) {
      return `<Error><Key>${escapeXml(key)}</Key>${version}<Code>${refusal}</Code><Message>Planned.</Message></Error>`;
    }
    objects.remove(request.bucket, key, versionId);
    return isQuiet ? "" : `<Deleted><Key>${escapeXml(key)}</Key>${version}</Deleted>`;
  });
  return xml("DeleteResult", results.join(""));
}

export function errorXml({ code, message }: Refusal): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${escapeXml(message)}</Message></Error>`;
}

function xml(name: string, inner: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${inner}</${name}>`;
}

function isBehind(key: string, from: string): boolean {
  return Buffer.compare(Buffer.from(key), Buffer.from(from)) > 0;
}

function formEncoded(key: string): string {
  return encodeURIComponent(key).replaceAll("%20", "+").replaceAll("%2F", "/");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

function unescapeXml(text: string): string {
  const named: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (whole, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    return decimal !== undefined ? String.fromCodePoint(Number(decimal)) : (named[name ?? ""] ?? whole);
  });
}
