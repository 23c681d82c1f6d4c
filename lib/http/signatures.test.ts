import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { WebhookVerification } from "../config/deployment.js";
import { isSignatureValid } from "./signatures.js";

/** A request as N-31 has it, for each scheme; `sign` signs another text with the same means. */
interface Vector {
  verify: WebhookVerification;
  secret: string;
  /** Unix seconds; absent for schemes without a time. */
  at?: number;
  body: string;
  /** The header with the digest, and what stands around the digest in it. */
  header: string;
  written: (digest: string) => string;
  others?: Record<string, string>;
  digest: string;
  signedBefore: string;
  encoding: "hex" | "base64";
}

const REFS = ["ssm:one"];
const VECTORS: Record<string, Vector> = {
  "hmac-sha256": {
    verify: { scheme: "hmac-sha256", secrets: REFS },
    secret: "topsecret",
    body: `{"event":"order.paid","id":"ORD-1001"}`,
    header: "x-signature",
    written: (digest) => digest,
    digest: "19e06eed661e1b3d34718e84549596a070a3f3df569eaa646ee598eeef38ec26",
    signedBefore: "",
    encoding: "hex",
  },
  github: {
    verify: { scheme: "github", secrets: REFS },
    secret: "It's a Secret to Everybody",
    body: "Hello, World!",
    header: "x-hub-signature-256",
    written: (digest) => `sha256=${digest}`,
    digest: "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    signedBefore: "",
    encoding: "hex",
  },
  stripe: {
    verify: { scheme: "stripe", secrets: REFS },
    secret: "whsec_test_secret",
    at: 1_700_000_000,
    body: `{"id":"evt_1"}`,
    header: "stripe-signature",
    written: (digest) => `t=1700000000,v1=${digest}`,
    digest: "248a374f50f943a28b0f6ab50faf9a7e7e29b710fa26df9fb1618b9bf8ea9c9a",
    signedBefore: "1700000000.",
    encoding: "hex",
  },
  slack: {
    verify: { scheme: "slack", secrets: REFS },
    secret: "slack-secret",
    at: 1_700_000_000,
    body: "payload=1",
    header: "x-slack-signature",
    written: (digest) => `v0=${digest}`,
    others: { "x-slack-request-timestamp": "1700000000" },
    digest: "ef3fa85b6365fa8c66e36d74be465ed4065de032a91385726d6d4f0b7b7a9e01",
    signedBefore: "v0:1700000000:",
    encoding: "hex",
  },
  standard: {
    verify: { scheme: "standard", secrets: REFS },
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    at: 1_614_265_330,
    body: `{"test": 2432232314}`,
    header: "webhook-signature",
    written: (digest) => `v1,${digest}`,
    others: { "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330" },
    digest: "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    signedBefore: "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.",
    encoding: "base64",
  },
};

const NOW = 1_700_000_000_000;

function check(
  vector: Vector,
  changed: { body?: string; header?: string | null; secrets?: string[]; now?: number } = {},
) {
  const header = changed.header === undefined ? vector.written(vector.digest) : changed.header;
  return isSignatureValid(vector.verify, {
    headers: { ...vector.others, ...(header === null ? {} : { [vector.header]: header }) },
    body: new TextEncoder().encode(changed.body ?? vector.body),
    secrets: changed.secrets ?? [vector.secret],
    now: changed.now ?? (vector.at === undefined ? NOW : vector.at * 1000),
  });
}

function signed(vector: Vector, body: string): string {
  const key =
    vector.verify.scheme === "standard" ? Buffer.from(vector.secret.slice("whsec_".length), "base64") : vector.secret;
  return createHmac("sha256", key)
    .update(vector.signedBefore + body)
    .digest(vector.encoding);
}

describe.each(Object.entries(VECTORS))("the scheme %s", (_scheme, vector) => {
  it("N-30, N-31 accepts its vector", () => {
    expect(check(vector)).toBe(true);
  });

  it("N-31, F-79 refuses a body of which one byte differs", () => {
    expect(check(vector, { body: `X${vector.body.slice(1)}` })).toBe(false);
    expect(check(vector, { body: `${vector.body} ` })).toBe(false);
  });

  it("N-31 refuses a digest that is one character short", () => {
    expect(check(vector, { header: vector.written(vector.digest.slice(0, -1)) })).toBe(false);
  });

  it("N-31 refuses another prefix, a missing header and another secret", () => {
    expect(check(vector, { header: `x${vector.written(vector.digest)}` })).toBe(false);
    expect(check(vector, { header: null })).toBe(false);
    expect(check(vector, { secrets: ["whsec_b3RoZXI="] })).toBe(false);
    expect(check(vector, { secrets: [] })).toBe(false);
  });

  it("N-30, N-31 accepts what the second secret signed", () => {
    expect(check(vector, { secrets: ["whsec_b3RoZXI=", vector.secret] })).toBe(true);
  });

  it("N-31, F-79 refuses a signature that fits the re-serialized JSON only", () => {
    const sent = `{ "b": 1,  "a": 2 }`;
    const header = vector.written(signed(vector, JSON.stringify(JSON.parse(sent))));
    expect(check(vector, { body: sent, header })).toBe(false);
    expect(check(vector, { body: sent, header: vector.written(signed(vector, sent)) })).toBe(true);
  });

  it("N-30 never takes the empty secret", () => {
    const header = vector.written(
      createHmac("sha256", "")
        .update(vector.signedBefore + vector.body)
        .digest(vector.encoding),
    );
    expect(check(vector, { header, secrets: [""] })).toBe(false);
    expect(check(vector, { header, secrets: ["whsec_"] })).toBe(false);
  });
});

const TIMED = Object.entries(VECTORS).filter(([, { at }]) => at !== undefined);

describe.each(TIMED)("the times of %s", (_scheme, vector) => {
  it("N-30, N-31, F-79 refuses a stale and a future time", () => {
    const at = (vector.at ?? 0) * 1000;
    for (const offset of [-300_000, 300_000]) expect(check(vector, { now: at + offset })).toBe(true);
    for (const offset of [-300_001, 300_001]) expect(check(vector, { now: at + offset })).toBe(false);
  });
});

describe("options of schemes", () => {
  const { "hmac-sha256": hmac, stripe, slack, standard, github } = VECTORS as Record<string, Vector>;

  it("N-30 takes hex in either case, base64, another header and a prefix", () => {
    expect(check(hmac!, { header: hmac!.digest.toUpperCase() })).toBe(true);
    const verify = {
      scheme: "hmac-sha256",
      secrets: REFS,
      header: "X-Shop-Hmac",
      prefix: "sig=",
      encoding: "base64",
    } as const;
    const digest = Buffer.from(hmac!.digest, "hex").toString("base64");
    const vector = { ...hmac!, verify, header: "x-shop-hmac", written: (text: string) => `sig=${text}`, digest };
    expect(check(vector)).toBe(true);
    expect(check(vector, { header: digest })).toBe(false);
    expect(check({ ...vector, header: "x-signature" })).toBe(false);
  });

  it("N-30 ignores elements it does not know, takes any v1 and never v0", () => {
    const { digest } = stripe!;
    const other = "0".repeat(64);
    expect(check(stripe!, { header: `v0=${other},t=1700000000,v1=${other},x=1,v1=${digest}` })).toBe(true);
    expect(check(stripe!, { header: `t=1700000000,v0=${digest}` })).toBe(false);
    expect(check(stripe!, { header: `t=1700000000,t=1,v1=${digest}` })).toBe(false);
  });

  it("N-30 takes any v1 of a space-separated list", () => {
    const { digest } = standard!;
    expect(check(standard!, { header: `v1a,${digest} v1,${digest.replace("g", "h")} v1,${digest}` })).toBe(true);
    expect(check(standard!, { header: `v2,${digest}` })).toBe(false);
  });

  it("N-30 wants a plain decimal integer for a time", () => {
    for (const time of ["1.7e9", "+1700000000", " 1700000000", "01700000000", "1700000000.0", ""]) {
      const before = `v0:${time}:`;
      const digest = createHmac("sha256", slack!.secret)
        .update(before + slack!.body)
        .digest("hex");
      const vector = { ...slack!, others: { "x-slack-request-timestamp": time } };
      expect(check(vector, { header: `v0=${digest}` })).toBe(false);
    }
  });

  it("N-30 keeps to the tolerance that is set, which is a second at least", () => {
    const verify = (toleranceSeconds: number) => ({
      ...slack!,
      verify: { scheme: "slack", secrets: REFS, toleranceSeconds } as const,
    });
    const at = 1_700_000_000_000;
    expect(check(verify(10), { now: at + 10_000 })).toBe(true);
    expect(check(verify(10), { now: at + 10_001 })).toBe(false);
    expect(check(verify(0), { now: at + 1_000 })).toBe(true);
    expect(check(verify(0), { now: at - 1_001 })).toBe(false);
  });

  it("N-30 ignores GitHub's older header", () => {
    const sha1 = createHmac("sha1", github!.secret).update(github!.body).digest("hex");
    expect(check({ ...github!, others: { "x-hub-signature": `sha1=${sha1}` } }, { header: null })).toBe(false);
  });

  it("N-30 takes unsigned requests only where that is said by name", () => {
    const request = { headers: {}, body: new Uint8Array(), secrets: [], now: NOW };
    expect(isSignatureValid({ scheme: "none", allowUnsigned: true }, request)).toBe(true);
    expect(isSignatureValid({ scheme: "none" } as never, request)).toBe(false);
  });
});
