import { describe, expect, it } from "vitest";
import { createToolMockMiddleware, mocksOf } from "./mocks.js";

describe("mocksOf", () => {
  it("C-18 answers with the first entry in order that fits name and arguments", () => {
    const mocks = mocksOf([
      { tool: "lookup", whenInput: { id: "/^N-/" }, result: "first" },
      { tool: "other", result: "other" },
      { tool: "lookup", whenInput: { id: "N-2" }, result: "never" },
      { tool: "lookup", result: "rest" },
    ]);

    expect(mocks({ tool: "lookup", args: { id: "N-2", more: 1 } })).toEqual({ text: "first" });
    expect(mocks({ tool: "lookup", args: { id: "X" } })).toEqual({ text: "rest" });
    expect(mocks({ tool: "send", args: {} })).toBeNull();
  });

  it.each([
    ['{"ok":true}', '{"ok":true}'],
    ["", ""],
    [{ ok: true }, '{"ok":true}'],
    [[1, "a"], '[1,"a"]'],
    [null, "null"],
    [7, "7"],
    [{ error: "no" }, '{"error":"no"}'],
  ])("C-18 gives %j as %s", (result, text) => {
    expect(mocksOf([{ tool: "lookup", result }])({ tool: "lookup", args: {} })).toEqual({ text });
  });

  it.each([
    ["Done.", { text: "Done." }],
    [{ message: "Done." }, { text: "Done." }],
    [{ error: "It broke." }, { error: "It broke." }],
    [{ returns: { a: 1 } }, { returns: { a: 1 } }],
    [
      { message: "Done.", returns: { a: 1 } },
      { message: "Done.", returns: { a: 1 } },
    ],
    [null, { text: "null" }],
  ])("C-22 reads %j of a workflow's entry as a child's end", (result, answer) => {
    const tool = "archmax_workflow_letters";

    expect(mocksOf([{ tool, result }])({ tool, args: {} })).toEqual(answer);
  });
});

describe("createToolMockMiddleware", () => {
  it("C-23 is called ToolMockMiddleware", () => {
    expect(createToolMockMiddleware().name).toBe("ToolMockMiddleware");
  });
});
