import { describe, expect, it } from "vitest";
import { aToolContext } from "../../test/contract/tool-context.js";
import {
  CONTROL_NAMES,
  controlDefinition,
  offloadLargeResult,
  parseAdvance,
  parseGetVariables,
  parseRaise,
  parseReset,
  parseSetVariables,
  parseTodos,
  parseWait,
  writeTodosDefinition,
} from "./index.js";

const refused = (field: string) => ({ ok: false, problems: [expect.stringContaining(`\`${field}\``)] });

describe("the control tools", () => {
  it("R-62 R-70 R-72 R-76 R-82 R-83 R-143 are described with these arguments", () => {
    const shape = (name: (typeof CONTROL_NAMES)[number]) => {
      const { parameters } = controlDefinition(name);
      return [Object.keys(parameters.properties as object), parameters.required ?? []];
    };

    expect(Object.fromEntries(CONTROL_NAMES.map((name) => [name, shape(name)]))).toEqual({
      archmax_advance: [
        ["to", "reason", "evidence"],
        ["to", "reason"],
      ],
      archmax_reset: [["reason"], ["reason"]],
      archmax_wait: [["reason", "until"], ["reason"]],
      archmax_raise: [
        ["code", "reason"],
        ["code", "reason"],
      ],
      archmax_get_variables: [["name", "path"], []],
      archmax_set_variables: [["variables", "lock"], ["variables"]],
      archmax_get_history: [[], []],
    });
  });

  it("R-62 takes a slug, a reason that is not blank and a list of paths", () => {
    expect(parseAdvance({ to: "review", reason: " ready ", evidence: ["a.md"] })).toEqual({
      ok: true,
      args: { to: "review", reason: "ready", evidence: ["a.md"] },
    });
    expect(parseAdvance({ to: "review", reason: "r", evidence: null })).toEqual({
      ok: true,
      args: { to: "review", reason: "r", evidence: [] },
    });
    expect(parseAdvance({ to: " ", reason: "r" })).toEqual(refused("to"));
    expect(parseAdvance({ to: "review", reason: " \n" })).toEqual(refused("reason"));
    expect(parseAdvance({ to: "review", reason: "r", evidence: "a.md" })).toEqual(refused("evidence"));
    expect(parseAdvance({ to: "review", reason: "r", evidence: [1] })).toEqual(refused("evidence.0"));
  });

  it("R-62 W-55 W-57 leaves any token that is not blank to the edge check", () => {
    for (const to of ["Not A Slug", "Nächster Schritt", "1"])
      expect(parseAdvance({ to, reason: "r" })).toMatchObject({ ok: true, args: { to } });
  });

  it("R-70 R-76 ask for a reason", () => {
    expect(parseReset({})).toEqual(refused("reason"));
    expect(parseWait({ reason: " " })).toEqual(refused("reason"));
    expect(parseReset({ reason: "again" })).toEqual({ ok: true, args: { reason: "again" } });
    expect(parseWait({ reason: "reply", until: "2h" })).toEqual({ ok: true, args: { reason: "reply", until: "2h" } });
    expect(parseWait({ reason: "reply", until: null })).toEqual({ ok: true, args: { reason: "reply" } });
    expect(parseWait({ reason: "reply", until: " " })).toEqual({ ok: true, args: { reason: "reply", until: " " } });
    expect(parseWait({ reason: "reply", until: 5 })).toEqual(refused("until"));
  });

  it("R-72 takes a code of 1 to 64 characters without a line break, after trimming", () => {
    expect(parseRaise({ code: ` ${"c".repeat(64)}\n`, reason: " r " })).toEqual({
      ok: true,
      args: { code: "c".repeat(64), reason: "r" },
    });
    expect(parseRaise({ code: "🛑".repeat(64), reason: "r" })).toMatchObject({ ok: true });
    for (const code of [" ", "c".repeat(65), "🛑".repeat(65), "a\nb", "a\rb", "a\u2028b", 7])
      expect(parseRaise({ code, reason: "r" })).toEqual(refused("code"));
    expect(parseRaise({ code: "c", reason: "" })).toEqual(refused("reason"));
  });

  it("R-82 counts a blank name or path as absent", () => {
    expect(parseGetVariables({ name: " ", path: "" })).toEqual({ ok: true, args: {} });
    expect(parseGetVariables({ name: "order", path: "items.0" })).toEqual({
      ok: true,
      args: { name: "order", path: "items.0" },
    });
  });

  it("R-83 takes a map of values and whether to lock them", () => {
    expect(parseSetVariables({ variables: { a: null, B: [1] } })).toEqual({
      ok: true,
      args: { variables: { a: null, B: [1] }, lock: false },
    });
    expect(parseSetVariables({ variables: { a: 1 }, lock: true })).toMatchObject({ args: { lock: true } });
    expect(parseSetVariables({ variables: "a=1" })).toEqual(refused("variables"));
    expect(parseSetVariables({ variables: { a: 1 }, lock: "yes" })).toEqual(refused("lock"));
  });
});

describe("write_todos", () => {
  it("R-250 takes items with one of three statuses", () => {
    const todos = [
      { content: "a", status: "pending" },
      { content: "b", status: "in_progress" },
      { content: "c", status: "completed" },
    ];

    expect(writeTodosDefinition.parameters).toMatchObject({ required: ["todos"] });
    expect(parseTodos({ todos })).toEqual({ ok: true, args: { todos } });
    expect(parseTodos({ todos: [] })).toEqual({ ok: true, args: { todos: [] } });
    expect(parseTodos({ todos: [{ content: "a", status: "done" }] })).toEqual(refused("todos.0.status"));
    expect(parseTodos({})).toEqual(refused("todos"));
  });
});

describe("offloadLargeResult", () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n");

  it("R-245 R-246 writes a long result and leaves its path and the first and last five lines", async () => {
    const { workspace } = aToolContext();

    const left = await offloadLargeResult(workspace, { callId: "call/1.ä", tool: "lookup", text: long });

    expect(left).toContain("/large_tool_results/call_1__.txt");
    expect(left.split("\n").filter((line) => line.startsWith("line "))).toEqual(
      [0, 1, 2, 3, 4, 19_995, 19_996, 19_997, 19_998, 19_999].map((n) => `line ${n}`),
    );
    expect((await workspace.readRaw("/large_tool_results/call_1__.txt")).data?.content).toBe(long);
    expect(await offloadLargeResult(workspace, { callId: "call/1.ä", tool: "lookup", text: long })).toBe(left);
    expect((await workspace.ls("/large_tool_results")).files).toHaveLength(1);
  });

  it("R-245 keeps a result of 80,000 characters, and every result of the file tools", async () => {
    const { workspace } = aToolContext();
    const fits = "x".repeat(80_000);

    expect(await offloadLargeResult(workspace, { callId: "c", tool: "lookup", text: fits })).toBe(fits);
    for (const tool of [
      "ls",
      "glob",
      "grep",
      "read_file",
      "write_file",
      "edit_file",
      "copy_file",
      "move_file",
      "remove_file",
    ]) {
      expect(await offloadLargeResult(workspace, { callId: "c", tool, text: long })).toBe(long);
    }
    expect(await offloadLargeResult(workspace, { callId: "c", tool: "lookup", text: `${fits}x` })).toContain(
      "/large_tool_results/c.txt",
    );
  });
});
