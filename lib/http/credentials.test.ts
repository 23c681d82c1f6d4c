import { describe, expect, it } from "vitest";
import { manualClock } from "../../test/harness/clock.js";
import { createMemoryApiKeys } from "../stores/memory/index.js";
import { createAuthenticator, isApprover, matchesArn } from "./credentials.js";
import { makeApiKey } from "./keys.js";
import type { HttpRequest } from "./types.js";

const request = (text: string): HttpRequest => ({
  method: "GET",
  path: "/",
  query: new URLSearchParams(),
  headers: { authorization: `Bearer ${text}` },
  body: new Uint8Array(),
  requestId: "r",
});

describe("matchesArn", () => {
  it.each([
    ["arn:aws:iam::1:user/maria", "arn:aws:iam::1:user/maria", true],
    ["arn:aws:iam::1:user/maria", "arn:aws:iam::1:user/maria2", false],
    ["arn:aws:iam::1:user/*", "arn:aws:iam::1:user/team/maria", true],
    ["arn:aws:iam::1:user/*", "arn:aws:iam::11:user/maria", false],
    ["*:role/*-desk/*", "arn:aws:sts::1:role/a-desk/b-desk/c", true],
    ["*:role/*-desk", "arn:aws:sts::1:role/desk", false],
    ["a*a", "a", false],
    ["arn.aws", "arn:aws", false],
    ["arn:aws:iam::1:user/[a-z]+", "arn:aws:iam::1:user/maria", false],
    ["*", "", true],
  ])("N-36 fits %s to %s: %s", (pattern, arn, fits) => {
    expect(matchesArn(pattern, arn)).toBe(fits);
  });

  it("N-36 takes time linear in the ARN, whatever the pattern", () => {
    expect(matchesArn(`${"*a".repeat(2000)}*b`, "a".repeat(2048))).toBe(false);
  });
});

describe("isApprover", () => {
  it("N-38 compares subjects and groups to the letter, addresses without regard to case", () => {
    const principal = {
      id: "x",
      scopes: new Set<string>(),
      names: ["Guards", "key:1"],
      emails: ["Gate@Museum.example"],
    };
    expect(isApprover(principal, ["gate@museum.EXAMPLE"])).toBe(true);
    expect(isApprover(principal, ["other", "Guards"])).toBe(true);
    expect(isApprover(principal, ["guards"])).toBe(false);
    expect(isApprover(principal, [])).toBe(false);
  });
});

describe("createAuthenticator", () => {
  it("N-36 refuses to be without any kind of credential", () => {
    const options = { credentials: {}, environment: "test", clock: manualClock() };
    expect(() => createAuthenticator(options)).toThrow(TypeError);
  });

  it("N-36 fetches the key of hashes once, and again where that failed", async () => {
    let fetched = 0;
    const keys = createMemoryApiKeys();
    const { text, kept } = makeApiKey({ environment: "test", name: "a", scopes: [] }, "hash key", 0);
    await keys.put(kept);
    const hashKey = async () => {
      fetched += 1;
      if (fetched === 1) throw new Error("not now");
      return "hash key";
    };
    const authenticate = createAuthenticator({
      credentials: { apiKeys: { keys, hashKey } },
      environment: "test",
      clock: manualClock(),
    });
    await expect(authenticate(request(text))).rejects.toThrow("not now");
    expect(await authenticate(request(text))).toMatchObject({ id: `key:${kept.id}` });
    await authenticate(request(text));
    expect(fetched).toBe(2);
  });

  it("N-36 asks the store for a key at most every half minute", async () => {
    const clock = manualClock();
    const kept = makeApiKey({ environment: "test", name: "a", scopes: [] }, "k", clock.now());
    const keys = createMemoryApiKeys();
    await keys.put(kept.kept);
    let asked = 0;
    const counted = {
      ...keys,
      find(id: string) {
        asked += 1;
        return keys.find(id);
      },
    };
    const authenticate = createAuthenticator({
      credentials: { apiKeys: { keys: counted, hashKey: async () => "k" } },
      environment: "test",
      clock,
    });
    for (const ms of [0, 29_999, 1]) {
      clock.advance(ms);
      await authenticate(request(kept.text));
    }
    expect(asked).toBe(2);
  });
});
