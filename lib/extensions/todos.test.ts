import { describe, expect, it } from "vitest";
import { allTodosDone } from "./todos.js";
import type { RunToolCall } from "./types.js";

const plan = (todos: unknown, isError = false): RunToolCall => ({
  name: "write_todos",
  args: { todos },
  output: "",
  isError,
});
const other: RunToolCall = { name: "read_file", args: { todos: [{ content: "x" }] }, output: "", isError: false };
const done = { content: "pay", status: "completed" };
const open = (content: string) => ({ content, status: "pending" });

describe("A-29 all todos done", () => {
  it.each([
    ["no call at all", []],
    ["no call that keeps a plan", [other]],
    ["an empty list", [plan([])]],
    ["a list that is none", [plan("${{plan}}")]],
    ["everything completed", [plan([done, { content: "mail", completed: true }])]],
    ["a later plan with nothing open", [plan([open("a")]), plan([done])]],
    ["only a refused plan", [plan([open("a")], true)]],
  ])("A-29 passes with %s", (_what, toolCalls) => {
    expect(allTodosDone({ toolCalls })).toEqual({ ok: true });
  });

  it.each([
    [
      "what is open, with its content",
      [plan([done, open("a"), { content: "b", status: "in_progress" }])],
      "2 open: a; b",
    ],
    ["the plan before a refused last call", [plan([open("a")]), plan([done], true)], "1 open: a"],
    ["the last plan, whatever was called since", [plan([done]), plan([open("b")]), other], "1 open: b"],
    ["a `completed` that is not true", [plan([{ content: "a", completed: "yes" }])], "1 open: a"],
    ["an item that is no object", [plan(["a"])], '1 open: "a"'],
  ])("A-29 fails with %s", (_what, toolCalls, reason) => {
    expect(allTodosDone({ toolCalls })).toEqual({ ok: false, reason });
  });
});
