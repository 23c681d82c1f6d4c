import { expect, it } from "vitest";
import { McpToolError } from "./errors.js";
import { textOfCallResult } from "./result.js";

const text = (line: string) => ({ type: "text" as const, text: line });
const image = { type: "image" as const, mimeType: "image/png", data: Buffer.alloc(10).toString("base64") };

it("A-60 joins texts by line breaks", () => {
  expect(textOfCallResult({ content: [text("a"), text("b\nc")] })).toBe("a\nb\nc");
  expect(textOfCallResult({ content: [] })).toBe("");
});

it("A-60 answers with structured content as JSON wherever there is some", () => {
  expect(textOfCallResult({ content: [text("three")], structuredContent: { count: 3 } })).toBe('{"count":3}');
  expect(textOfCallResult({ content: [text("empty")], structuredContent: {} })).toBe("{}");
});

it("A-60 lists what is no text by type and size, and quotes none of it", () => {
  const shown = textOfCallResult({
    content: [
      text("first"),
      image,
      { type: "audio", mimeType: "audio/wav", data: Buffer.alloc(7).toString("base64") },
      { type: "resource", resource: { uri: "file:///a.txt", text: "größe" } },
      { type: "resource", resource: { uri: "file:///b", mimeType: "image/gif", blob: image.data } },
      { type: "resource_link", uri: "https://shop.test/a.pdf", name: "a", size: 12 },
      { type: "resource_link", uri: "https://shop.test/b", name: "b" },
      text("last"),
    ],
  });
  expect(shown.split("\n")).toEqual([
    "first",
    "[image, image/png, 10 bytes]",
    "[audio, audio/wav, 7 bytes]",
    "[resource file:///a.txt, 7 bytes]",
    "[resource file:///b, image/gif, 10 bytes]",
    "[resource_link https://shop.test/a.pdf, 12 bytes]",
    "[resource_link https://shop.test/b]",
    "last",
  ]);
});

it("A-60 throws the joined text of a result that is an error, structured or not", () => {
  const failed = { content: [text("the warehouse"), text("is closed")], isError: true };
  expect(() => textOfCallResult(failed)).toThrow(new McpToolError("the warehouse\nis closed"));
  expect(() => textOfCallResult({ ...failed, structuredContent: { a: 1 } })).toThrow("the warehouse\nis closed");
  expect(() => textOfCallResult({ content: [], isError: true })).toThrow(/did not say why/);
});
