/** Proving who sent a webhook (N-30): HMAC-SHA-256 over the exact bytes received, before anything reads them (F-79). */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookVerification } from "../config/deployment.js";

export interface Signed {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** The hook's secrets, resolved; any of them may match (rotation). */
  secrets: readonly string[];
  /** Epoch milliseconds. */
  now: number;
}

/** What a request claims: digests of which one has to fit, over text that stands before the body. */
interface Claim {
  digests: Uint8Array[];
  before: string;
  timestamp?: string;
}

const DEFAULT_TOLERANCE_SECONDS = 300;
const WHSEC = "whsec_";

/**
 * Whether the request carries a valid signature. Why not is never said, so that a sender learns nothing (N-30).
 *
 * @returns true for `none` only where unsigned requests are allowed by name
 */
export function isSignatureValid(verify: WebhookVerification, signed: Signed): boolean {
  if (verify.scheme === "none") return verify.allowUnsigned === true;
  const claim = claimOf(verify, signed.headers);
  if (claim === null) return false;
  if (claim.timestamp !== undefined && !isFresh(claim.timestamp, verify, signed.now)) return false;
  let matches = false;
  // Every secret and digest is looked at, so that the time taken does not tell which of them fits.
  for (const secret of signed.secrets) {
    const key = keyOf(verify.scheme, secret);
    if (key === null) continue;
    const expected = createHmac("sha256", key).update(claim.before).update(signed.body).digest();
    for (const digest of claim.digests) {
      if (digest.length === expected.length && timingSafeEqual(digest, expected)) matches = true;
    }
  }
  return matches;
}

/** The text of the header that says when the sender signed; undefined for schemes without one. */
export function timestampOf(verify: WebhookVerification, headers: Signed["headers"]): string | undefined {
  return verify.scheme === "none" ? undefined : claimOf(verify, headers)?.timestamp;
}

function claimOf(verify: Exclude<WebhookVerification, { scheme: "none" }>, headers: Signed["headers"]): Claim | null {
  switch (verify.scheme) {
    case "hmac-sha256": {
      const text = headers[(verify.header ?? "X-Signature").toLowerCase()];
      return claimed({ text, prefix: verify.prefix ?? "", decode: verify.encoding === "base64" ? base64 : hex });
    }
    case "github":
      return claimed({ text: headers["x-hub-signature-256"], prefix: "sha256=", decode: hex });
    case "slack": {
      const timestamp = headers["x-slack-request-timestamp"];
      const claim = claimed({ text: headers["x-slack-signature"], prefix: "v0=", decode: hex });
      if (timestamp === undefined || claim === null) return null;
      return { ...claim, before: `v0:${timestamp}:`, timestamp };
    }
    case "stripe":
      return stripeClaim(headers["stripe-signature"] ?? "");
    case "standard": {
      const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": text } = headers;
      if (id === undefined || timestamp === undefined || text === undefined) return null;
      const claims = text.split(" ").flatMap((part) => claimed({ text: part, prefix: "v1,", decode: base64 }) ?? []);
      return { digests: claims.flatMap(({ digests }) => digests), before: `${id}.${timestamp}.`, timestamp };
    }
  }
}

function stripeClaim(header: string): Claim | null {
  const elements = header.split(",").map((element) => {
    const at = element.indexOf("=");
    return { name: element.slice(0, at), value: element.slice(at + 1) };
  });
  const times = elements.filter(({ name }) => name === "t");
  const [time] = times;
  // Two times would let the one that is checked differ from the one that is signed.
  if (time === undefined || times.length > 1) return null;
  const digests = elements.filter(({ name }) => name === "v1").flatMap(({ value }) => hex(value) ?? []);
  return { digests, before: `${time.value}.`, timestamp: time.value };
}

function claimed(given: {
  text: string | undefined;
  prefix: string;
  decode: (text: string) => Uint8Array | null;
}): Claim | null {
  const { text, prefix, decode } = given;
  if (text === undefined || !text.startsWith(prefix)) return null;
  const digest = decode(text.slice(prefix.length));
  return digest && { digests: [digest], before: "" };
}

function isFresh(timestamp: string, verify: { toleranceSeconds?: number } | object, now: number): boolean {
  if (!/^(?:0|[1-9][0-9]{0,14})$/.test(timestamp)) return false;
  const tolerance = "toleranceSeconds" in verify ? verify.toleranceSeconds : undefined;
  return Math.abs(now - Number(timestamp) * 1000) <= Math.max(1, tolerance ?? DEFAULT_TOLERANCE_SECONDS) * 1000;
}

/** Null for a secret that would be the empty key, which anybody can sign with. */
function keyOf(scheme: WebhookVerification["scheme"], secret: string): Uint8Array | null {
  const key =
    scheme === "standard"
      ? Buffer.from(secret.startsWith(WHSEC) ? secret.slice(WHSEC.length) : secret, "base64")
      : Buffer.from(secret, "utf8");
  return key.length === 0 ? null : key;
}

function hex(text: string): Uint8Array | null {
  return /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, "hex") : null;
}

function base64(text: string): Uint8Array | null {
  return /^[A-Za-z0-9+/]{43}=$/.test(text) ? Buffer.from(text, "base64") : null;
}
