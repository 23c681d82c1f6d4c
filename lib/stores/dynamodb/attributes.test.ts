import { describe, expect, it } from "vitest";
import { UnstorableStateError } from "../../session/errors.js";
import { jsonText, scalar, scalarFrom, sizeOf } from "./attributes.js";

describe("attributes", () => {
  it("F-54 drops undefined members and keeps empty strings, nulls and nested values", () => {
    const value = { a: undefined, b: "", c: null, d: [{ e: 0, f: false, g: undefined }] };

    expect(JSON.parse(jsonText(value, "input"))).toEqual({ b: "", c: null, d: [{ e: 0, f: false }] });
    expect(scalarFrom(scalar(""))).toBe("");
  });

  it.each([
    ["a date", { at: new Date(0) }, "input.at", "an instance of Date"],
    ["a map", { a: [new Map()] }, "input.a[0]", "an instance of Map"],
    ["an error", new RangeError("x"), "input", "an instance of RangeError"],
    ["bytes", { b: new Uint8Array(1) }, "input.b", "an instance of Uint8Array"],
    ["a function", { f: () => 1 }, "input.f", "function"],
    ["a big integer", { n: 1n }, "input.n", "bigint"],
    ["a number that is none", { n: Number.NaN }, "input.n", "NaN"],
    ["undefined in a list", { a: [undefined] }, "input.a[0]", "undefined"],
  ])("F-54 refuses %s and says where", (_, value, path, kind) => {
    expect(() => jsonText(value, "input")).toThrow(UnstorableStateError);
    expect(() => jsonText(value, "input")).toThrow(`The value at ${path} cannot be stored: ${kind} is not plain JSON.`);
  });

  it.each(["text", "", 0, -1.5, 1_767_000_000_000, true, false])("reads %j back as it was", (value) => {
    expect(scalarFrom(scalar(value))).toBe(value);
  });

  it("counts names and UTF-8 bytes of values", () => {
    expect(sizeOf({ pk: { S: "é" }, n: { N: "12" }, m: { M: { a: { S: "x" } } } })).toBe(2 + 2 + 1 + 2 + 1 + 3 + 2);
  });
});
