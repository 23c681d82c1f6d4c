/** The ceilings of a turn: tokens and tool calls, children included. */
import { describe, expect, it } from "vitest";
import { allTodosDone } from "../../lib/extensions/index.js";
import { loadState } from "../../lib/session/load-state.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { ServerReply } from "../model-server/index.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { advance, benches, calls, ofType, says, types } from "./support.js";

const bench = benches();

const SPEC = `
states:
  work:
    triggers: { manual: , mail: }
    instructions: Work.
    on_error: done
    tools: { allow: [read_file, write_file, archmax_wait, archmax_eval, look] }
    transitions: [{ to: review }, { to: check, description: It is written. }, { to: done }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: work, type: refine, description: Again. }, { to: done, type: approve, description: Go. }]
  check:
    type: grader
    instructions: It is short.
    tools: { allow: [read_file] }
    transitions: [{ to: done, description: It is short. }]
  done:
    instructions: End.
`;

const look = toolsFromMap({ look: { description: "Looks.", inputSchema: { type: "object" }, handler: () => "seen" } });

/** The reply with this much usage. */
const costing = (tokens: number, reply: ServerReply): ServerReply => ({
  ...reply,
  usage: { prompt_tokens: tokens - 1, completion_tokens: 1, total_tokens: tokens },
});
const looks = (count: number) => calls(...Array.from({ length: count }, () => ["look"] as [string]));

describe("A-7 a turn that reaches a limit", () => {
  it("A-7 H-50 R-16 R-162 ends as failed before the next model call, with the limit's name and code", async () => {
    const { agent, events, requests } = await bench({
      spec: SPEC,
      tools: look,
      limits: { maxTokensPerTurn: 100 },
      replies: [costing(60, { ...looks(1), text: "I look." }), costing(40, looks(1)), says("Never.")],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({
      kind: "failed",
      status: "failed",
      state: "work",
      limit: "maxTokens",
      reply: "I look.",
      exit: { success: false, code: "limit-tokens", reason: expect.stringMatching(/100 tokens.*may use 100/) },
    });
    expect(requests).toHaveLength(2);
    expect(ofType(events, "tool-result")).toHaveLength(2);
    expect(ofType(events, "state-leave")).toMatchObject([{ state: "work", next: "work" }]);
    expect(types(events, "state-error-routed")).toEqual([]);
    expect(await agent.sessions.get("s1")).toMatchObject({ status: "failed", exit: { code: "limit-tokens" } });
  });

  it("A-7 R-260 counts the calls of a message, refused ones included, and those that its scripts make", async () => {
    const { agent, requests } = await bench({
      spec: SPEC,
      tools: look,
      limits: { maxToolCallsPerTurn: 6 },
      replies: [
        calls(["look"], ["web_search"]),
        calls(["archmax_eval", { code: "await tools.look({}); try { await tools.grep({}); } catch {}" }]),
        looks(1),
        says("Never."),
      ],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({
      kind: "failed",
      limit: "maxToolCalls",
      exit: { code: "limit-tool-calls", reason: expect.stringMatching(/6 tool calls.*may make 6/) },
    });
    expect(requests).toHaveLength(3);
  });

  it("A-7 is not stopped where no further model call is due", async () => {
    const { agent } = await bench({
      spec: SPEC,
      tools: look,
      limits: { maxTokensPerTurn: 100, maxToolCallsPerTurn: 2 },
      replies: [costing(60, looks(1)), costing(60, says("Done."))],
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "completed" });
  });

  it("A-7 counts by the turn: the next input begins anew, a decision and a reply too", async () => {
    const { agent } = await bench({
      spec: SPEC,
      limits: { maxTokensPerTurn: 100 },
      replies: [
        costing(50, advance("review")),
        costing(60, says("Decide, please.")),
        costing(90, says("It takes a day.")),
        costing(90, says("Done.")),
        costing(90, says("Done again.")),
      ],
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "parked" });
    expect(await agent.workflow.reply("s1", "How long?")).toMatchObject({ kind: "parked" });
    expect(await agent.workflow.decide("s1", { target: "done" })).toMatchObject({ kind: "completed" });
    const last = await agent.workflow.send("s1", { message: "Again." });
    expect(last).toMatchObject({ kind: "completed" });
    expect(last).not.toHaveProperty("limit");
  });

  it("A-7 S-50 counts by the turn where invocations are short, too", async () => {
    const { agent, requests } = await bench({
      spec: SPEC,
      limits: { maxTokensPerTurn: 100 },
      replies: [
        costing(50, advance("review")),
        costing(60, says("Decide, please.")),
        costing(40, calls(["archmax_get_variables", {}])),
        costing(40, calls(["archmax_get_variables", {}])),
        costing(40, calls(["archmax_get_variables", {}])),
        says("Never."),
      ],
    });
    await agent.workflow.send("s1", { message: "Go." });
    const { arrivalId } = await agent.accept("s1", { kind: "decision", target: "done" });

    let invocations = 0;
    while ((await agent.work("s1", { drainAt: 0 })).left === "handed-over") invocations += 1;

    expect(invocations).toBeGreaterThan(2);
    expect((await agent.receipt(arrivalId))?.outcome).toMatchObject({
      kind: "failed",
      limit: "maxTokens",
      exit: { reason: expect.stringContaining("120 tokens") },
    });
    expect(requests).toHaveLength(5);
  });

  it("A-7 makes no call for a handoff either", async () => {
    const { agent, requests } = await bench({
      spec: SPEC,
      limits: { maxTokensPerTurn: 50 },
      replies: [costing(50, advance("review")), says("Never.")],
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({
      kind: "failed",
      limit: "maxTokens",
      state: "review",
    });
    expect(requests).toHaveLength(1);
    expect((await agent.sessions.get("s1"))?.pending).toBeUndefined();
  });

  it("A-7 R-162 ends the session inside a grader, whose state is not routed", async () => {
    const { agent, events, requests } = await bench({
      spec: SPEC.replace("    instructions: It is short.\n", "    instructions: It is short.\n    on_error: done\n"),
      limits: { maxTokensPerTurn: 100 },
      replies: [
        costing(50, advance("check")),
        costing(50, calls(["read_file", { file_path: "a.md" }])),
        says("Never."),
      ],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "failed", limit: "maxTokens", state: "check" });
    expect(outcome.usage).toMatchObject({ inputTokens: 98, outputTokens: 2 });
    expect(requests).toHaveLength(2);
    expect(types(events, "grader-start", "grader-result", "state-error-routed")).toEqual([
      "grader-start",
      "grader-result",
    ]);
    expect(ofType(events, "grader-result")).toMatchObject([
      { status: "error", reason: expect.stringContaining("100 tokens") },
    ]);
  });

  it("A-7 A-23 tells the completion check that failed before", async () => {
    const { agent } = await bench({
      spec: SPEC,
      completion: { verify: allTodosDone, maxAttempts: 3 },
      limits: { maxToolCallsPerTurn: 1 },
      replies: [calls(["write_todos", { todos: [{ content: "pay", status: "pending" }] }]), says("Never.")],
    });
    const judged = await bench({
      spec: SPEC,
      completion: { verify: () => ({ ok: false, reason: "too short" }), maxAttempts: 3 },
      limits: { maxTokensPerTurn: 10 },
      replies: [costing(10, says("Done."))],
    });

    expect((await agent.workflow.send("s1", { message: "Go." })).exit).toMatchObject({ code: "limit-tool-calls" });
    expect(await judged.agent.workflow.send("s1", { message: "Go." })).toMatchObject({
      limit: "maxTokens",
      exit: { reason: expect.stringMatching(/ \(stopped in attempt 2; last failed check: too short\)$/) },
    });
  });
});

describe("A-7 children", () => {
  const files = workflow("sign", worker("signer"));

  it("A-7 R-186 what a child uses counts for its caller", async () => {
    const { agent, requests } = await bench({
      spec: caller("sign"),
      files,
      limits: { maxTokensPerTurn: 100 },
      answer: byModel({
        "test-model": [costing(40, calls(["archmax_workflow_sign", {}])), says("Never.")],
        signer: [costing(60, says("Signed."))],
      }),
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({
      kind: "failed",
      limit: "maxTokens",
      exit: { code: "limit-tokens", reason: expect.stringContaining("100 tokens") },
      usage: { inputTokens: 39, outputTokens: 1 },
    });
    expect(requests).toHaveLength(2);
  });

  it("A-7 R-186 a child that it stops fails its call with kind `error`, and its caller's next call is not made either", async () => {
    const { agent, requests } = await bench({
      spec: caller("sign"),
      files: workflow("sign", worker("signer").replace("triggers:", "tools: { allow: [look] }\n    triggers:")),
      tools: look,
      limits: { maxToolCallsPerTurn: 3 },
      answer: byModel({
        "test-model": [calls(["archmax_workflow_sign", {}, "c1"]), says("Never.")],
        signer: [looks(2), says("Never.")],
      }),
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "failed", limit: "maxToolCalls", exit: { code: "limit-tool-calls" } });
    expect(outcome.messages.find(({ tool_call_id }) => tool_call_id === "c1")).toMatchObject({
      status: "error",
      content: expect.stringMatching(/^archmax_workflow_sign failed \(error\): limit-tool-calls: /),
    });
    expect(await agent.sessions.get("s1~1")).toMatchObject({ status: "failed", exit: { code: "limit-tool-calls" } });
    expect(requests).toHaveLength(2);
  });

  it("A-7 a child that goes on after a decision counts what it uses then, for the new turn", async () => {
    const { agent } = await bench({
      spec: caller("sign"),
      files: workflow(
        "sign",
        `
settings: { model: signer }
states:
  ask:
    type: human
    triggers: { manual: }
    instructions: Decide.
    transitions: [{ to: work, type: approve, description: Go. }]
  work:
    instructions: Work.
`,
      ),
      limits: { maxTokensPerTurn: 100 },
      answer: byModel({
        "test-model": [costing(40, calls(["archmax_workflow_sign", {}])), costing(50, says("Decide.")), says("Never.")],
        signer: [costing(9, says("Please decide.")), costing(100, says("Signed."))],
      }),
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "parked" });
    expect(await agent.workflow.decide("s1", { target: "work" })).toMatchObject({
      kind: "failed",
      limit: "maxTokens",
      exit: { reason: expect.stringContaining("100 tokens") },
    });
    expect(await agent.sessions.get("s1~1")).toMatchObject({ status: "completed" });
  });

  it("A-7 a script's children count", async () => {
    const { agent, requests } = await bench({
      spec: caller("sign").replace("allow: [", "allow: [archmax_eval, "),
      files,
      limits: { maxTokensPerTurn: 150 },
      answer: byModel({
        "test-model": [
          costing(30, calls(["archmax_eval", { code: "await tools.archmax_workflow_sign({})" }])),
          costing(60, calls(["archmax_eval", { code: "1" }])),
          says("Never."),
        ],
        signer: [costing(60, says("Signed."))],
      }),
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "failed", limit: "maxTokens" });
    expect(requests).toHaveLength(3);
  });
});

it("A-2 A-7 without a limit nothing of it is stored", async () => {
  const { agent, stores } = await bench({
    spec: SPEC,
    tools: look,
    replies: [costing(60, looks(2)), costing(60, says("Done."))],
  });

  await agent.workflow.send("s1", { message: "Go." });

  const { fields } = (await loadState(stores.sessions, "s1"))!.state;
  expect(fields).not.toHaveProperty("used");
});

it("A-2 a turn of a session for which nothing is set stores no field of this layer", async () => {
  const { agent, stores } = await bench({
    spec: SPEC,
    tools: look,
    replies: [costing(60, looks(2)), costing(60, says("Done.")), costing(60, says("Again."))],
  });

  await agent.workflow.send("s1", { message: "Go." });
  await agent.workflow.send("s1", { message: "More." });

  const { thread } = (await stores.sessions.read("s1"))!;
  const written = thread.map(({ value }) => value).join();
  for (const field of ["used", "run", "unheardCalls", "legTokens", "compaction"]) {
    expect(written).not.toContain(`"${field}"`);
  }
});
