/** What a request asks of its answer: its type (N-5: 406) and how long it may take (N-10). */
import { NotAcceptableError } from "./errors.js";
import type { HttpRequest } from "./types.js";

const SERVED = ["application/json", "application/*", "*/*"];

/** @throws {NotAcceptableError} where JSON is not among what is accepted; no header accepts all */
export function requireJsonAccepted({ headers }: HttpRequest): void {
  const { accept } = headers;
  if (accept === undefined || accept.trim() === "") return;
  const ranges = accept.split(",").map((range) => {
    const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice("q=".length);
    return { type, isRefused: quality !== undefined && Number(quality) === 0 };
  });
  // The most specific range that speaks of JSON decides (RFC 9110, 12.5.1).
  const deciding = SERVED.map((type) => ranges.find((range) => range.type === type)).find((range) => range);
  if (!deciding || deciding.isRefused) throw new NotAcceptableError();
}

/** The seconds of `Prefer: wait=<n>`, up to the limit; 0 where there is none, or none that can be read. */
export function waitSeconds({ headers }: HttpRequest, limit: number): number {
  const preferences = (headers.prefer ?? "").split(",").map((part) => part.split(";")[0]?.trim() ?? "");
  const found = preferences.find((preference) => /^wait\s*=/i.test(preference));
  const [, digits] = /^wait\s*=\s*"?([0-9]{1,9})"?$/i.exec(found ?? "") ?? [];
  return digits === undefined ? 0 : Math.min(Number(digits), limit);
}

/** N-13: visible ASCII, 1 to 255 characters. Undefined without the header, null for one that is not that. */
export function idempotencyKey({ headers }: HttpRequest): string | null | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined) return undefined;
  return /^[\x21-\x7e]{1,255}$/.test(key) ? key : null;
}
