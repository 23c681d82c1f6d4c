import { describe, expect, it } from "vitest";
import { firstDenial } from "./index.js";
import type { Guardrail, GuardrailCall } from "./types.js";

const call = (args: Record<string, unknown> = {}): GuardrailCall => ({
  name: "pay",
  args,
  id: "c1",
  turn: 1,
  state: "work",
  workflow: "refund",
  sessionId: "s1",
  origin: "agent",
});
const says = (value: unknown) => (() => value) as Guardrail;

describe("asking guardrails", () => {
  it.each([[undefined], [""], ["allow"], [Promise.resolve("allow")], [Promise.resolve()]])(
    "A-9 %o permits",
    async (value) => {
      expect(await firstDenial([says(value)], call())).toBeNull();
    },
  );

  it.each([
    ["no", "no"],
    ["ALLOW", "ALLOW"],
    [" ", " "],
    [Promise.resolve("later no"), "later no"],
  ])("A-9 %o denies, with itself as the reason", async (value, reason) => {
    expect(await firstDenial([says(value)], call())).toBe(reason);
  });

  it.each([
    ["throws", () => Promise.reject(new Error("down")), "guardrail error: down"],
    ["throws at once", () => raise(new Error("down")), "guardrail error: down"],
    ["throws no error", () => raise("text"), "guardrail error: text"],
    ["answers null", () => null, "guardrail error: it returned null"],
    ["answers true", () => true, "guardrail error: it returned a boolean"],
    ["answers an object", () => ({ allow: true }), "guardrail error: it returned an object"],
    ["answers a list", async () => ["allow"], "guardrail error: it returned a list"],
  ])("A-10 denies where one %s", async (_what, guardrail, reason) => {
    expect(await firstDenial([guardrail as unknown as Guardrail], call())).toContain(reason);
  });

  it("A-10 shows a frozen copy of the arguments: a guardrail changes nothing, and trying to denies", async () => {
    const args = { to: { name: "Ada" }, list: [{ n: 1 }] };
    const seen: unknown[] = [];
    const reads: Guardrail = (given) => {
      seen.push(given.args);
      return given.args === args ? "the very object" : undefined;
    };
    const writes: Guardrail = (given) => {
      (given.args.list as { n: number }[])[0]!.n = 2;
    };

    expect(await firstDenial([reads], call(args))).toBeNull();
    expect(await firstDenial([writes], call(args))).toMatch(/^guardrail error: /);
    expect(seen).toEqual([args]);
    expect(args.list).toEqual([{ n: 1 }]);
  });

  it("A-11 asks in order, and the first denial ends it", async () => {
    const asked: number[] = [];
    const nth =
      (n: number, value?: string): Guardrail =>
      async () => {
        asked.push(n);
        return value;
      };

    expect(await firstDenial([nth(1), nth(2, "two"), nth(3, "three"), nth(4, "allow")], call())).toBe("two");
    expect(asked).toEqual([1, 2]);
  });
});

function raise(error: unknown): never {
  throw error;
}
