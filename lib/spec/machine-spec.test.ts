import { describe, expect, it } from "vitest";
import { parseMachineSpec } from "./index.js";

const VALID = { states: { a: { triggers: { manual: null }, transitions: [{ to: "b", description: "D" }] }, b: null } };

function issuesOf(raw: unknown) {
  const result = parseMachineSpec(raw);
  return result.ok ? [] : result.issues;
}

describe("parseMachineSpec", () => {
  it("H-118 W-60 returns the spec with empty states and declarations as {}", () => {
    expect(parseMachineSpec(VALID)).toEqual({
      ok: true,
      spec: { states: { a: { triggers: { manual: {} }, transitions: [{ to: "b", description: "D" }] }, b: {} } },
    });
  });

  it("H-118 lists every load finding with code, dotted path and message, and no other", () => {
    const raw = { ...VALID, disabled: "x", title: 5, states: { a: { triggers: { manual: {} }, tilte: "x" } } };
    expect(issuesOf(raw)).toEqual([
      { code: "schema/type", path: "title", message: expect.any(String) },
      { code: "state/unknown-key", path: "states.a.tilte", message: expect.any(String) },
    ]);
    expect(issuesOf({ ...VALID, disabled: "x" })).toEqual([]);
  });

  it("H-118 W-20 finds integers beyond 2^53 outside metadata", () => {
    expect(issuesOf({ ...VALID, metadata: { x: 2 ** 60 }, settings: { timeoutMs: 2 ** 60 } })).toMatchObject([
      { code: "schema/unsafe-integer", path: "settings.timeoutMs" },
    ]);
  });

  it("H-118 never throws", () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.metadata = cyclic;
    const hostile = new Proxy(
      {},
      {
        ownKeys: () => {
          throw new Error("no");
        },
      },
    );
    for (const raw of [undefined, null, 5, "states: {}", [], cyclic, hostile, () => 1, new Map(), { states: [] }]) {
      expect(issuesOf(raw).length).toBeGreaterThan(0);
    }
  });
});
