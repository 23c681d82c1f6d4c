import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { wrapStore } from "../harness/wrap-store.js";
import { byModel, caller, type Scripts, worker, workflow } from "./delegating.js";
import { benches, calls, offered, ofType, results, says, setting, system } from "./support.js";

const open = benches();

const CHECK = "archmax_workflow_check";

async function run(
  target: string,
  child: Scripts["child"],
  { spec = caller("check"), after = [says("Done.")], args = {}, files = {} } = {},
) {
  const bench = await open({
    spec,
    files: { ...workflow("check", target), ...files },
    answer: byModel({ "test-model": [calls([CHECK, args, "c1"]), ...after], child: child ?? [] }),
  });
  const outcome = await bench.agent.workflow.send("s1", { message: "Go." });
  const answer = outcome.messages.find((message) => message.tool_call_id === "c1");
  return { bench, outcome, answer, child: (await loadState(bench.stores.sessions, "s1~1"))?.state };
}

const RETURNING = "{ returns: [{ name: total, type: number }, { name: note_text, type: string }] }";

describe("what a child delivers", () => {
  it("R-184 W-244 is its last words alone where the trigger declares no returns", async () => {
    const { answer } = await run(worker("child"), [calls(setting({ total: 1 })), says("The end.")]);

    expect(answer?.content).toBe("The end.");
  });

  it("R-185 W-134 names returns that are unset, and completes", async () => {
    const { answer, child } = await run(worker("child", RETURNING), [calls(setting({ total: 1 })), says("Half.")]);

    expect(JSON.parse(answer?.content ?? "")).toEqual({
      message: "Half.",
      returns: { total: 1, note_text: null, note: expect.stringContaining("note_text") },
    });
    expect(child?.fields.status).toBe("completed");
  });

  it("R-146 R-184 says so where the child said nothing", async () => {
    const { answer } = await run("states: { go: { type: code, script: scripts/go.js, triggers: { manual: } } }", [], {
      files: { "workflows/check/scripts/go.js": "export default async function () {}" },
    });

    expect(answer?.content).toBe("The workflow has finished and said nothing.");
  });

  it.each([
    [
      "raised",
      worker("child"),
      [calls(["archmax_raise", { code: "no-stock", reason: "Nothing is left." }])],
      ["work", "no-stock", "Nothing is left."],
    ],
    [
      "rejected",
      worker("child").replace("instructions:", "budget: { maxTurns: 1 }\n    instructions:"),
      [calls(setting({ a: 1 }))],
      ["budget"],
    ],
    ["error", worker("child"), [{ status: 400, error: { message: "bad request" } } as never], [""]],
  ])("R-186 R-187 A-75 W-175 fails the call as %s", async (kind, target, replies, named) => {
    const { bench, outcome, answer } = await run(target, replies, { after: [says("Then not.")] });

    expect(answer).toMatchObject({
      status: "error",
      content: expect.stringContaining(`(${kind})`),
      additional_kwargs: { archmax: { refusal: `delegation:${kind}` } },
    });
    for (const text of named) expect(answer?.content).toContain(text);
    expect(answer?.additional_kwargs).not.toHaveProperty("governance_blocked");
    expect(ofType(bench.events, "sub-workflow-result")).toMatchObject([
      { status: "error", level: "warn", reason: expect.any(String) },
    ]);
    expect(outcome.auditTrail.filter(({ kind: of }) => of === "sub-workflow")).toMatchObject([
      { status: "error", workflow: "check", reason: expect.any(String) },
    ]);
    // nothing made up for it, so the state fails where the model finishes.
    expect(outcome).toMatchObject({ kind: "rejected" });
    expect(outcome.rejected).toContain("check failed");
  });

  it("R-186 W-134 fails the call as invalid-return for a return that does not conform", async () => {
    const { answer, child } = await run(worker("child", "{ returns: [{ name: file_name, type: file }] }"), [
      calls(setting({ file_name: "scratchpad/missing.txt" })),
      says("There."),
    ]);

    expect(answer?.content).toContain("(invalid-return)");
    expect(answer?.content).toContain("file_name");
    expect(child?.fields.status).toBe("rejected");
  });

  it("R-183 R-186 has a step limit of its own, its caller's, and fails as error", async () => {
    const step = calls(setting({ a: 1 }));
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      answer: byModel({ "test-model": [calls([CHECK, {}, "c1"]), says("No.")], child: [step, step, step, step] }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." }, { recursionLimit: 4 });

    expect(results(outcome)).toMatchObject([
      { refusal: "delegation:error", text: expect.stringContaining("recursion-limit") },
    ]);
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.stepsUsed).toBe(3);
  });
});

describe("failed delegations", () => {
  const RAISES = [calls(["archmax_raise", { code: "no", reason: "No." }])];

  it("R-188 a later success of the same workflow makes up for a failure", async () => {
    const { outcome } = await run(worker("child"), [...RAISES, says("Now it works.")], {
      after: [calls([CHECK, {}, "c2"]), says("Fine.")],
    });

    expect(outcome).toMatchObject({ kind: "completed", reply: "Fine." });
  });

  it("R-188 R-189 a wait and the delivery that ends it recover nothing, a later success does", async () => {
    const wait = { ...calls(["archmax_wait", { reason: "a second try" }]), text: "I wait." };
    const over = async (after: Parameters<typeof run>[2]) => {
      const { bench, outcome } = await run(worker("child"), [...RAISES, says("Now it works.")], after);
      expect(outcome).toMatchObject({ kind: "parked" });
      return bench.agent.workflow.deliver("s1", { trigger: { id: "retry" } });
    };

    expect(await over({ after: [wait, says("Never mind.")] })).toMatchObject({
      kind: "rejected",
      rejected: expect.stringContaining("check failed"),
    });
    expect(await over({ after: [wait, calls([CHECK, {}, "c2"]), says("Fine.")] })).toMatchObject({
      kind: "completed",
      reply: "Fine.",
    });
  });

  it("R-188 a sibling of the same message makes up for nothing", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      answer: byModel({
        "test-model": [calls([CHECK, {}, "c1"], [CHECK, {}, "c2"]), says("Fine.")],
        child: [...RAISES, says("Yes.")],
      }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "rejected" });
  });
});

describe("a child's surroundings", () => {
  it("R-181 an ancestor's denials bind it, and its refusal names who declared them", async () => {
    const target = worker("child").replace("instructions:", "tools: { allow: [write_file] }\n    instructions:");
    const spec = `tools: { forbid_always: [write_file], allow_always: [${CHECK}] }\nstates: { desk: { instructions: I., triggers: { manual: } } }`;
    const { bench, child } = await run(
      target,
      [calls(["write_file", { file_path: "scratchpad/a", content: "a" }]), says("Not.")],
      { spec },
    );

    const refused = child?.messages.find(({ role }) => role === "tool");
    expect(refused?.additional_kwargs?.archmax?.refusal).toBe("blocked:tool.forbidden");
    expect(refused?.content).toContain("workflow case, which called this one");
    expect(offered(bench.requests[1])).not.toContain("write_file");
  });

  it("R-181 the denials of its caller's caller bind it too", async () => {
    const target = worker("child").replace("instructions:", "tools: { allow: [write_file] }\n    instructions:");
    const bench = await open({
      spec: `tools: { forbid_always: [write_file] }${caller("middle")}`,
      files: {
        ...workflow("middle", `settings: { model: middle }${caller("check")}`),
        ...workflow("check", target),
      },
      answer: byModel({
        "test-model": [calls(["archmax_workflow_middle", {}]), says("Done.")],
        middle: [calls([CHECK, {}]), says("Passed on.")],
        child: [calls(["write_file", { file_path: "scratchpad/a", content: "a" }]), says("Not.")],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "Go." });

    const child = (await loadState(bench.stores.sessions, "s1~1~1"))?.state;
    const refused = child?.messages.find(({ role }) => role === "tool");
    expect(refused?.additional_kwargs?.archmax?.refusal).toBe("blocked:tool.forbidden");
    expect(refused?.content).toContain("workflow case,");
  });

  it("R-181 the host's essential tools and policy rules hold in it too", async () => {
    const bench = await open({
      spec: caller("check"),
      essentialTools: ["probe"],
      tools: toolsFromMap({ probe: { description: "p", inputSchema: { type: "object" }, handler: () => "p" } }),
      policyRules: [({ tool }) => (tool === "grep" ? { decision: "block", ruleId: "h.no", reason: "No." } : null)],
      files: workflow("check", worker("child", "", "tools: { allow_always: [grep] }")),
      answer: byModel({
        "test-model": [calls([CHECK, {}]), says("Done.")],
        child: [calls(["probe"], ["grep", { pattern: "a" }]), says("Looked.")],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "Go." });

    const made = results((await loadState(bench.stores.sessions, "s1~1"))!.state);
    expect(made.map(({ tool, refusal }) => [tool, refusal])).toEqual([
      ["probe", undefined],
      ["grep", "blocked:h.no"],
    ]);
  });

  it("R-177 W-142 W-297 is asked for no title, and knows nothing of its caller", async () => {
    const bench = await open({
      spec: caller("check"),
      files: { ...workflow("check", worker("child")), "AGENTS.md": "Persona." },
      variables: { tenant: "acme" },
      answer: byModel({ "test-model": [calls([CHECK, {}, "c1"]), says("Done.")], child: [says("Hm.")] }),
    });
    await bench.agent.workflow.send("s1", { message: "Secret of the caller." });

    expect(system(bench.requests[0])).toContain("title");
    expect(system(bench.requests[1])).not.toContain("`title`");
    expect(system(bench.requests[1])).toContain("Persona.");
    expect(JSON.stringify(bench.requests[1]?.body.messages)).not.toContain("Secret of the caller");
    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;
    expect(Object.keys(child?.variables ?? {})).toEqual(["trigger"]);
  });

  it("R-191 R-289 its events carry its session and its place, and its text is its own", async () => {
    const { bench } = await run(worker("child"), [says("Mine.")]);

    expect(ofType(bench.events, "agent-text")).toMatchObject([
      { text: "Mine.", sessionId: "s1~1", subWorkflowDispatchId: "1" },
      { text: "Done.", sessionId: "s1" },
    ]);
  });

  it("R-180 R-277 it is told its caller's time, a case's before the option's", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      clock: "2030-01-02T03:45:00Z",
      answer: byModel({
        "test-model": [calls([CHECK, {}]), says("Done."), calls([CHECK, {}]), says("Done.")],
        child: [says("Now."), says("Now.")],
      }),
    });
    await bench.agent.workflow.send("s1", { message: "Go." });
    await bench.agent.workflow.send("s1", { message: "Again." }, { pinnedClockMs: Date.UTC(2040, 0, 1, 12, 30) });

    const told = bench.requests.filter(({ body }) => body.model === "child").map((request) => system(request));
    expect(told).toEqual([
      expect.stringContaining("2030-01-02 03:40 UTC"),
      expect.stringContaining("2040-01-01 12:30 UTC"),
    ]);
  });

  it("R-177 R-180 R-287 A-75 its usage is its own, and it is composed once", async () => {
    const used = (text: string, prompt_tokens: number) => ({
      ...says(text),
      usage: { prompt_tokens, completion_tokens: 1 },
    });
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      answer: byModel({
        "test-model": [calls([CHECK, {}, "c1"], [CHECK, {}, "c2"]), used("Done.", 7)],
        child: [used("One.", 20), used("Two.", 20)],
      }),
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect((await loadState(bench.stores.sessions, "s1~2"))?.state.usage.inputTokens).toBe(20);
    expect(outcome.usage?.inputTokens).toBe(7);
    expect(ofType(bench.events, "prompt-shaping")).toHaveLength(2);
  });

  it("R-180 R-181 is composed when it is first called, once for each chain of callers whose denials bind it", async () => {
    const target = worker("child").replace("instructions:", "tools: { allow: [write_file] }\n    instructions:");
    const write = calls(["write_file", { file_path: "scratchpad/a", content: "a" }]);
    const bench = await open({
      spec: caller("check", "middle"),
      files: {
        ...workflow("middle", `settings: { model: middle }\ntools: { forbid_always: [write_file] }${caller("check")}`),
        ...workflow("check", target),
      },
      answer: byModel({
        "test-model": [calls([CHECK, {}]), calls(["archmax_workflow_middle", {}]), says("Done.")],
        middle: [calls([CHECK, {}]), calls([CHECK, {}]), says("Passed on.")],
        child: [write, says("Written."), write, says("Not."), write, says("Not.")],
      }),
    });
    expect(ofType(bench.events, "prompt-shaping")).toHaveLength(1);

    await bench.agent.workflow.send("s1", { message: "Go." });

    const answersOf = async (id: string) => results((await loadState(bench.stores.sessions, id))!.state);
    expect(await answersOf("s1~1")).toMatchObject([{ status: "success" }]);
    for (const id of ["s1~2~1", "s1~2~2"])
      expect(await answersOf(id)).toMatchObject([{ refusal: "blocked:tool.forbidden" }]);
    expect(ofType(bench.events, "prompt-shaping")).toHaveLength(4);
  });

  it("R-180 R-186 one that cannot be composed any more fails its dispatch as error, and its caller goes on", async () => {
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", worker("child")),
      answer: byModel({ "test-model": [calls([CHECK, {}, "c1"], setting({ a: 1 })), says("Then not.")] }),
      // The first call has been checked by then, and its child is not yet there.
      onEvent: (event) => {
        if (event.type === "tool-called")
          rmSync(join(bench.rootDir, "workflows/check"), { recursive: true, force: true });
      },
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)).toMatchObject([{ refusal: "delegation:error" }, { status: "success" }]);
    expect(outcome.reply).toBe("Then not.");
    expect(await bench.stores.sessions.read("s1~1")).toBeNull();
  });

  it("R-228 sees no file of its caller's, nor the caller one of its own", async () => {
    const files = "tools: { allow: [write_file, ls, read_file] }\n    instructions:";
    const list = calls(["ls", { path: "scratchpad" }], ["read_file", { file_path: "scratchpad/theirs.txt" }]);
    const write = (name: string) => calls(["write_file", { file_path: `scratchpad/${name}.txt`, content: name }]);
    const bench = await open({
      spec: caller("check").replace("allow: [", "allow: [write_file, ls, read_file, "),
      files: workflow("check", worker("child").replace("instructions:", files)),
      answer: byModel({
        "test-model": [
          write("theirs"),
          calls([CHECK, { prompt: "Go." }]),
          calls(["ls", { path: "scratchpad" }]),
          says("Done."),
        ],
        child: [list, write("mine"), says("Looked.")],
      }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });
    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;

    expect(results(child!).map(({ text }) => text)).toEqual([
      "/scratchpad is empty.",
      expect.stringMatching(/^Error: There is no file/),
      expect.stringContaining("/scratchpad/mine.txt"),
    ]);
    expect(results(outcome).at(-1)?.text).toBe("/scratchpad/theirs.txt");
  });

  it("R-248 a host tool that it or its script calls knows the child's session and files", async () => {
    const seen: string[] = [];
    const look = toolsFromMap({
      look: {
        description: "Looks.",
        inputSchema: { type: "object" },
        handler: async (_args, { sessionId, workspace }) => {
          const [file] = await workspace.downloadFiles(["/scratchpad/whose.txt"]);
          seen.push(`${sessionId}: ${new TextDecoder().decode(file?.content ?? undefined)}`);
        },
      },
    });
    const tools = "tools: { allow: [write_file, look, archmax_eval] }\n    instructions:";
    const write = (content: string) => calls(["write_file", { file_path: "scratchpad/whose.txt", content }]);
    const bench = await open({
      spec: caller("check").replace("allow: [", "allow: [write_file, look, "),
      files: workflow("check", worker("child").replace("instructions:", tools)),
      tools: look,
      answer: byModel({
        "test-model": [write("the caller's"), calls(["look"]), calls([CHECK, { prompt: "Go." }]), says("Done.")],
        child: [
          write("the child's"),
          calls(["look"]),
          calls(["archmax_eval", { code: "await tools.look()" }]),
          says("Ok."),
        ],
      }),
    });

    await bench.agent.workflow.send("s1", { message: "Go." });

    expect(seen).toEqual(["s1: the caller's", "s1~1: the child's", "s1~1: the child's"]);
  });

  it("R-190 W-245 files cross as copies: arguments down, returns up, each numbered where its name is taken there", async () => {
    const target = worker(
      "child",
      "{ requires: [{ name: paper, type: file }], returns: [{ name: report, type: file }] }",
    ).replace("instructions:", "tools: { allow: [write_file, read_file] }\n    instructions:");
    const spec = caller("check").replace("allow: [", "allow: [write_file, read_file, ");
    const bench = await open({
      spec,
      files: workflow("check", target),
      answer: byModel({
        "test-model": [
          calls(["write_file", { file_path: "scratchpad/attachments/paper.txt", content: "of the caller" }]),
          calls([CHECK, { paper: "scratchpad/attachments/paper.txt" }, "c1"]),
          calls(["read_file", { file_path: "scratchpad/attachments/paper-1.txt" }, "r"]),
          says("Done."),
        ],
        child: [
          calls(["read_file", { file_path: "scratchpad/attachments/paper.txt" }]),
          calls(["write_file", { file_path: "scratchpad/paper.txt", content: "of the child" }]),
          calls(setting({ report: "scratchpad/paper.txt" })),
          says("Read."),
        ],
      }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    const answer = outcome.messages.find((message) => message.tool_call_id === "c1");
    expect(JSON.parse(answer?.content ?? "")).toMatchObject({
      returns: { report: "scratchpad/attachments/paper-1.txt" },
    });
    const read = outcome.messages.find((message) => message.tool_call_id === "r");
    expect(read?.content).toContain("of the child");
    const child = (await loadState(bench.stores.sessions, "s1~1"))?.state;
    expect(child?.variables.paper?.value).toBe("scratchpad/attachments/paper.txt");
    expect(child?.messages.find(({ role }) => role === "tool")?.content).toContain("of the caller");
  });

  it("R-190 a return's file that cannot be copied though the child completed is invalid-return", async () => {
    const target = worker("child", "{ returns: [{ name: report, type: file }] }").replace(
      "instructions:",
      "tools: { allow: [write_file] }\n    instructions:",
    );
    const sessions = createMemorySessionStore();
    const statusOf = async () => (await loadState(sessions, "s1~1"))?.state.fields.status;
    const files = wrapStore(createMemoryFileStore(), async ({ name, args }, run) => {
      const isReport = name === "read" && args[0] === "s1~1" && args[1] === "scratchpad/report.txt";
      return isReport && (await statusOf()) === "completed" ? (null as Awaited<ReturnType<typeof run>>) : run();
    });
    const bench = await open({
      spec: caller("check"),
      files: workflow("check", target),
      stores: { sessions, files },
      answer: byModel({
        "test-model": [calls([CHECK, {}, "c1"]), says("Done.")],
        child: [
          calls(["write_file", { file_path: "scratchpad/report.txt", content: "of the child" }]),
          calls(setting({ report: "scratchpad/report.txt" })),
          says("Written."),
        ],
      }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome)).toMatchObject([{ status: "error", refusal: "delegation:invalid-return" }]);
    expect(await statusOf()).toBe("completed");
  });

  it("R-190 a file argument that cannot be copied though it was there is invalid-param, and leaves no file", async () => {
    const target = worker("child", "{ requires: [{ name: paper, type: file }] }");
    const sessions = createMemorySessionStore();
    const files = wrapStore(createMemoryFileStore(), async ({ name, args }, run) => {
      const isPaper = name === "read" && args[0] === "s1" && args[1] === "scratchpad/paper.txt";
      return isPaper && (await sessions.read("s1~1")) !== null ? (null as Awaited<ReturnType<typeof run>>) : run();
    });
    const bench = await open({
      spec: caller("check").replace("allow: [", "allow: [write_file, "),
      files: workflow("check", target),
      stores: { sessions, files },
      answer: byModel({
        "test-model": [
          calls(["write_file", { file_path: "scratchpad/paper.txt", content: "of the caller" }]),
          calls([CHECK, { paper: "scratchpad/paper.txt" }, "c1"]),
          says("Done."),
        ],
      }),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(results(outcome).at(-1)).toMatchObject({ status: "error", refusal: "delegation:invalid-param" });
    expect(await files.list("s1~1")).toEqual([]);
  });

  it("R-175 R-190 a file argument whose file is missing, or the runtime's own, is invalid-param", async () => {
    const target = worker("child", "{ requires: [{ name: paper, type: file }] }");
    for (const paper of ["scratchpad/none.txt", "checkpoints/x.json"]) {
      const { answer, bench } = await run(target, [], { args: { paper } });
      expect(answer?.content).toContain("(invalid-param)");
      expect(await bench.stores.files.list("s1~1")).toEqual([]);
    }
  });
});
