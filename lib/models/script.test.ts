import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StoredMessage } from "../session/messages.js";
import { createChatModel } from "./chat-model.js";
import { InvalidModelScriptError, ModelCallError, ModelScriptExhaustedError } from "./errors.js";
import { createModelSet } from "./model-set.js";
import { replyChooser, type ScriptMessage, type ScriptView } from "./script-choice.js";
import { parseModelScript } from "./script-file.js";
import { scriptedModel } from "./scripted.js";
import type { ModelRequest } from "./types.js";
import { wrapChatModel } from "./wrap.js";

const ask = (messages: StoredMessage[] = [], volatile = "## You are in state cool-down\n"): ModelRequest => ({
  system: { static: "## You are in state decoy", volatile },
  messages,
  tools: [],
  messageId: `m${messages.length}`,
});
const user = (content: string): ScriptMessage => ({ role: "user", text: content });
const agent = (text: string, ...calls: string[]): ScriptMessage => ({ role: "assistant", text, calls });
const tool = (text: string): ScriptMessage => ({ role: "tool", text });

function problemsOf(text: string): readonly string[] {
  try {
    parseModelScript(text, "demo.yaml");
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidModelScriptError);
    return (error as InvalidModelScriptError).problems;
  }
  return [];
}

describe("the file", () => {
  it.each([
    ["an unknown key", "- text: hi\n- text: ho\n  calls: []", "2:3", "`calls`"],
    ["`when` in a list", "- when: { call: 1 }\n  text: hi", "1:3", "`when`"],
    ["an unknown role", "- role: boss\n  text: hi", "1:9", "role"],
    ["a wrong type deep inside", "replies:\n  - toolCalls: [{ name: x, args: 5 }]", "2:34", "args"],
    ["a reply that says nothing", "- delayMs: 5", "1:3", "`text`"],
    ["an error beside a text", "- text: a\n  error: { message: b }", "1:3", "`error`"],
    ["a duplicate key", "- text: a\n  text: b", "2:3", "unique"],
    ["a condition without conditions", "replies:\n  - when: {}\n    text: a", "2:11", "when"],
    ["neither form", "text: hi", "1:1", "replies"],
  ])("H-133 refuses %s, naming file and place", (_, text, position, word) => {
    const problems = problemsOf(text).join("\n");

    expect(problems).toContain(position);
    expect(problems).toContain(word);
  });

  it("refuses a reply that an earlier one without `when` hides", () => {
    expect(problemsOf("replies:\n  - text: a\n  - text: b\n").join()).toContain("replies.1");
    expect(problemsOf("replies:\n  - text: a\n  - { role: grader, text: b }\n")).toEqual([]);
  });
});

describe("a list", () => {
  const script = parseModelScript("- text: one\n- { role: grader, text: passed }\n- text: two\n", "demo.yaml");
  const view = (role: ScriptView["role"]): ScriptView => ({ role, system: "", messages: [] });

  it("H-133 gives each role its replies in list order, once", () => {
    const choose = replyChooser(script);

    expect(choose(view("agent")).text).toBe("one");
    expect(choose(view("grader")).text).toBe("passed");
    expect(choose(view("agent")).text).toBe("two");
    expect(() => choose(view("agent"))).toThrow(ModelScriptExhaustedError);
  });

  it("H-133 names file, role and number of replies when none is left", () => {
    const choose = replyChooser(script);

    expect(() => choose(view("judge"))).toThrow(
      expect.objectContaining({
        file: "demo.yaml",
        role: "judge",
        replies: 0,
        message: expect.stringContaining("0 replies"),
      }),
    );
  });
});

describe("conditions", () => {
  const script = parseModelScript(
    `replies:
  - when: { parked: true }
    text: parked
  - when: { state: cool-down, after: look }
    text: looked
  - when: { state: cool-down, step: 1, call: 1 }
    text: first
  - when: { state: cool-down, step: 1 }
    text: again
  - when: { contains: refund }
    text: about a refund
  - { role: grader, text: passed }
`,
    "demo.yaml",
  );
  const choose = (system: string, ...messages: ScriptMessage[]) =>
    replyChooser(script)({ role: "agent", system, messages }).text;
  const here = "## You are in state decoy\n\n## You are in state cool-down\nThis overrides.";
  const note = [agent("", "archmax_note"), tool("[event] over")];

  it.each([
    ["the first call of a session", here, [user("hi")], "first"],
    ["the first call after a note", here, [user("hi"), agent("waiting", "archmax_wait"), tool("ok"), ...note], "again"],
    ["a call after a tool", here, [user("hi"), agent("", "look"), tool("found")], "looked"],
    ["no tool of an earlier arrival", here, [user("hi"), agent("", "look"), tool("x"), user("ho")], "again"],
    ["a reply-only call", "## This session is parked", [user("where is it?")], "parked"],
    ["a word in the last message", "## You are in state other", [user("my refund")], "about a refund"],
  ])("answers %s", (_, system, messages, text) => {
    expect(choose(system, ...messages)).toBe(text);
  });

  it("H-133 knows a grader's state by its task, and counts the calls of its run", () => {
    const graders = replyChooser(
      parseModelScript(
        "replies:\n  - { role: grader, when: { state: one, call: 2 }, text: second }\n  - { role: grader, when: { state: one }, text: first }\n",
        "demo.yaml",
      ),
    );
    const asked = (...messages: ScriptMessage[]) => graders({ role: "grader", system: here, messages }).text;
    const task = user("## You are in state one\n\nJudge.");

    expect(asked(task)).toBe("first");
    expect(asked(task, agent("", "look"), tool("found"))).toBe("second");
    expect(() => asked(user("## You are in state two"))).toThrow(/state two/);
  });

  it("gives a repeated request, and another process, the same reply", () => {
    expect(choose(here, user("hi"))).toBe(choose(here, user("hi")));
  });

  it("says what was asked when nothing fits", () => {
    expect(() => choose("## You are in state other", user("hi"))).toThrow(
      /demo\.yaml.*agent.*state other, call 1, step 1/,
    );
  });
});

describe("models from a script", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "parkway-script-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  const write = (text: string) => writeFileSync(join(dir, "demo.yaml"), text);

  it("H-133 answers for ARCHMAX_MODEL=script:<file>, from the root, by role and after its delay", async () => {
    write(
      '- { text: The barrier is cooling down., toolCalls: [{ name: archmax_wait, args: { until: "5m" } }], delayMs: 40 }\n- { role: grader, text: fine }\n',
    );
    const waits: number[] = [];
    const models = createModelSet({
      env: { ARCHMAX_MODEL: "script:demo.yaml" },
      rootDir: dir,
      sleep: async (ms) => void waits.push(ms),
    });
    const deltas: string[] = [];

    const reply = await (await models.forCall("agent")).call({ ...ask(), onText: (text) => deltas.push(text) });
    const grade = await (await models.forCall("grader", "other-model")).call(ask());

    expect(reply).toMatchObject({
      text: "The barrier is cooling down.",
      calls: [{ id: "m0-1", name: "archmax_wait", args: { until: "5m" } }],
      invalid: [],
    });
    expect(reply).not.toHaveProperty("usage");
    expect(deltas).toEqual(["The barrier is cooling down."]);
    expect(waits).toEqual([40]);
    expect(grade.text).toBe("fine");
  });

  it("H-133 A-53 fails a call as a provider would, finally", async () => {
    write("- error: { status: 503, message: overloaded }\n- text: never asked twice\n");
    const model = wrapChatModel(
      await createChatModel({ baseUrl: "", apiKey: "", model: "script:demo.yaml" }, { rootDir: dir }),
    );

    const failed = await model.call(ask()).catch((error: unknown) => error);

    expect(failed).toBeInstanceOf(ModelCallError);
    expect(failed).toMatchObject({ status: 503, message: expect.stringContaining("overloaded") });
    expect((await model.call(ask())).text).toBe("never asked twice");
    await expect(model.call(ask())).rejects.toBeInstanceOf(ModelScriptExhaustedError);
  });

  it("reads the state from the volatile block and counts the agent's messages without notes", async () => {
    write(
      "replies:\n  - when: { state: cool-down, call: 2 }\n    text: second\n    usage: { inputTokens: 9, outputTokens: 2 }\n",
    );
    const model = wrapChatModel(
      await createChatModel({ baseUrl: "", apiKey: "", model: "script:demo.yaml" }, { rootDir: dir }),
    );
    const note: StoredMessage[] = [
      { id: "3", role: "assistant", content: "", tool_calls: [{ id: "n", name: "archmax_note", args: {} }] },
      { id: "4", role: "tool", content: "[event] x", tool_call_id: "n", name: "archmax_note" },
    ];

    const reply = await model.call(
      ask([{ id: "1", role: "user", content: "hi" }, { id: "2", role: "assistant", content: "a" }, ...note]),
    );

    expect(reply.text).toBe("second");
    expect(reply.usage).toEqual({ inputTokens: 9, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 });
  });

  it("H-133 names a file that does not exist", async () => {
    const models = createModelSet({ env: {}, script: "missing.yaml", rootDir: dir });

    await expect(models.forCall("agent")).rejects.toMatchObject({ file: "missing.yaml" });
  });
});

describe("scriptedModel", () => {
  it("A-53 gives out its steps and keeps the requests", async () => {
    const instance = await scriptedModel(["hi", { toolCalls: [{ name: "t" }] }, { error: { message: "no" } }]);
    const model = wrapChatModel(instance);
    const tools = [{ name: "t", description: "", parameters: { type: "object" } }];

    expect((await model.call(ask())).text).toBe("hi");
    expect((await model.call({ ...ask(), tools })).calls).toMatchObject([{ name: "t", args: {} }]);
    await expect(model.call(ask())).rejects.toBeInstanceOf(ModelCallError);
    expect(instance.requests[1]?.tools).toEqual(["t"]);
  });
});
