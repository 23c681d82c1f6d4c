import { describe, expect, it } from "vitest";
import { CallAssembler, type CallFragment, checkCalls, type RawCall } from "./raw-calls.js";

const check = (raw: RawCall[], more: { taken?: string[]; cutOff?: boolean } = {}) =>
  checkCalls(raw, { messageId: "m7", taken: more.taken ?? [], cutOff: more.cutOff ?? false });

const assemble = (...fragments: CallFragment[]) => {
  const assembler = new CallAssembler();
  for (const fragment of fragments) assembler.add(fragment);
  return assembler.finish();
};

describe("call ids", () => {
  it("F-66 S-34 replaces missing, empty and repeated ids and keeps the others", () => {
    const { calls } = check([
      { id: "a", name: "t", args: "{}" },
      { name: "t", args: "{}" },
      { id: " ", name: "t", args: "{}" },
      { id: "a", name: "t", args: "{}" },
    ]);

    expect(calls.map((call) => call.id)).toEqual(["a", "m7-2", "m7-3", "m7-4"]);
  });

  it("F-66 S-34 replaces an id that the session's history already has", () => {
    const { calls } = check([{ id: "call_0", name: "t", args: "{}" }], { taken: ["call_0", "m7-1"] });

    expect(calls[0]?.id).toBe("m7-2");
  });
});

describe("arguments", () => {
  it.each([
    ["text that is no JSON", '{"a": '],
    ["a list", "[1]"],
    ["a string that holds JSON", '"{}"'],
    ["null", "null"],
    ["a number", "4"],
  ])("F-64 F-65 lists a call with %s as invalid, and gives it an object", (_, args) => {
    const { calls, invalid } = check([{ id: "c", name: "t", args }]);

    expect(calls).toEqual([{ id: "c", name: "t", args: {} }]);
    expect(invalid).toMatchObject([{ callId: "c", problem: expect.stringContaining("did not run") }]);
  });

  it.each(["", " ", undefined, null])("F-65 reads %j as no arguments", (args) => {
    expect(check([{ id: "c", name: "t", args }])).toEqual({ calls: [{ id: "c", name: "t", args: {} }], invalid: [] });
  });

  it.each([
    ["text", '{"path":"a","__proto__":{"path":"b"}}'],
    ["escaped text", '{"path":"a","\\u005f_proto__":{"path":"b"}}'],
    ["a nested value", JSON.parse('{"deep":[{"__proto__":{"path":"b"}}]}')],
  ])("F-65 R-207 runs no call whose arguments bring a prototype, as %s", (_what, args) => {
    const { calls, invalid } = check([{ id: "a", name: "t", args }]);

    expect(calls).toEqual([{ id: "a", name: "t", args: {} }]);
    expect(invalid).toMatchObject([{ callId: "a", problem: expect.stringContaining("__proto__") }]);
  });

  it("F-65 takes arguments whose text only speaks of a prototype", () => {
    const args = { content: '{"__proto__":1}' };

    expect(check([{ id: "a", name: "t", args: JSON.stringify(args) }])).toEqual({
      calls: [{ id: "a", name: "t", args }],
      invalid: [],
    });
  });

  it("F-64 takes missing arguments at the token limit for cut off", () => {
    expect(check([{ id: "c", name: "t", args: "" }], { cutOff: true }).invalid).toHaveLength(1);
  });

  it("F-64 F-65 keeps the complete calls of an answer whose last call is cut off", () => {
    const { calls, invalid } = check(
      [
        { id: "a", name: "t", args: '{"x":1}' },
        { id: "b", name: "t", args: '{"x":' },
      ],
      { cutOff: true },
    );

    expect(calls.map((call) => call.args)).toEqual([{ x: 1 }, {}]);
    expect(invalid).toMatchObject([{ callId: "b", problem: expect.stringContaining("token limit") }]);
  });

  it.each([undefined, ""])("F-64 lists a call whose tool name is %j", (name) => {
    const { calls, invalid } = check([{ id: "c", name, args: "{}" }]);

    expect(calls).toEqual([{ id: "c", name: "unnamed", args: {} }]);
    expect(invalid).toEqual([{ callId: "c", problem: "The call names no tool." }]);
  });
});

describe("fragments", () => {
  it("puts two calls together from interleaved fragments", () => {
    expect(
      assemble(
        { index: 0, id: "a", name: "t", args: '{"x"' },
        { index: 1, id: "b", name: "u", args: "" },
        { index: 0, args: ":1}" },
        { index: 1, args: "{}" },
      ),
    ).toEqual([
      { id: "a", name: "t", args: '{"x":1}' },
      { id: "b", name: "u", args: "{}" },
    ]);
  });

  it("F-66 takes another id under the same index for another call", () => {
    expect(
      assemble({ index: 0, id: "a", name: "t", args: "{}" }, { index: 0, id: "b", name: "t", args: "{}" }),
    ).toHaveLength(2);
  });

  it("does not multiply a name and an id that every fragment repeats", () => {
    expect(assemble({ index: 0, id: "a", name: "t", args: "{" }, { index: 0, id: "a", name: "t", args: "}" })).toEqual([
      { id: "a", name: "t", args: "{}" },
    ]);
  });

  it("continues the last call when fragments carry no index", () => {
    expect(assemble({ id: "a", name: "t", args: "{" }, { args: "}" }, { id: "b", name: "u", args: "{}" })).toEqual([
      { id: "a", name: "t", args: "{}" },
      { id: "b", name: "u", args: "{}" },
    ]);
  });
});
