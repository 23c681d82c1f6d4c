import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import {
  arrivalIdFor,
  canonicalJson,
  fingerprintOf,
  sessionIdFromKey,
  sha256Hex,
  wakeArrivalId,
} from "./fingerprint.js";
import { parseSessionId } from "./ids.js";

describe("names made from content", () => {
  it("S-4 writes equal values as one text: keys sorted at every depth, undefined left out", () => {
    expect(canonicalJson({ b: [{ d: 1, c: undefined }], a: "ü" })).toBe('{"a":"ü","b":[{"d":1}]}');
    expect(canonicalJson({ a: 1, b: 2 })).toBe(canonicalJson({ b: 2, a: 1 }));
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  });

  it("S-4 fingerprints the input's canonical JSON with SHA-256", () => {
    const input = { message: "hi", kind: "turn" } as const;
    const expected = createHash("sha256").update('{"kind":"turn","message":"hi"}').digest("hex");

    expect(fingerprintOf(input)).toBe(expected);
    expect(sha256Hex(new Uint8Array([1, 2]))).toBe(
      createHash("sha256")
        .update(new Uint8Array([1, 2]))
        .digest("hex"),
    );
  });

  it("S-3 S-6 makes one arrival id of one key, source and tenant, and another of any other", () => {
    const key = { scope: "t", source: "api", key: "k/ü ?" } as const;
    const others = [
      { ...key, scope: "" },
      { ...key, source: "webhook" } as const,
      { ...key, key: "k" },
      { scope: "", source: "api", key: "tapik" } as const,
    ];

    expect(arrivalIdFor({ ...key })).toBe(arrivalIdFor(key));
    expect(new Set([key, ...others].map(arrivalIdFor)).size).toBe(5);
    expect(arrivalIdFor(key)).toMatch(/^[a-z0-9-]+$/);
  });

  it("S-60 names a wake-up by session and park", () => {
    expect(wakeArrivalId("s", "p")).toBe(wakeArrivalId("s", "p"));
    expect(new Set([wakeArrivalId("s", "p"), wakeArrivalId("s", "q"), wakeArrivalId("t", "p")]).size).toBe(3);
  });

  it("S-7 derives a session id from a key, as a UUID of it", () => {
    const id = sessionIdFromKey("arr-1");

    expect(id).toMatch(/^session-[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(sessionIdFromKey("arr-1")).toBe(id);
    expect(sessionIdFromKey("arr-2")).not.toBe(id);
    expect(parseSessionId(id)).toBe(id);
  });
});
