/** The completion gate: who is judged, on what, and what comes of it (A-17…A-30). */
import { describe, expect, it } from "vitest";
import { allTodosDone, type Completion, type RunResult, type Verdict } from "../../lib/extensions/index.js";
import type { Outcome } from "../../lib/session/outcome.js";
import type { ServerReply } from "../model-server/index.js";
import { byModel, caller, worker, workflow } from "./delegating.js";
import { advance, benches, calls, notes, ofType, plainBenches, says, setting, types } from "./support.js";

const bench = benches();
const plainBench = plainBenches();

const SPEC = `
states:
  work:
    triggers: { manual: , mail: }
    instructions: Work.
    tools: { allow: [read_file, write_file, archmax_wait] }
    transitions: [{ to: review }, { to: done }]
  review:
    type: human
    instructions: Decide.
    transitions: [{ to: work, type: refine, description: Again. }, { to: done, type: approve, description: Go. }]
  done:
    instructions: End.
    tools: { allow: [write_todos] }
`;

/** A verifier that answers in order, the last answer again and again, and keeps what it was shown. */
function gate(maxAttempts: number, ...verdicts: (Verdict | ((result: RunResult) => Verdict | Promise<Verdict>))[]) {
  const shown: RunResult[] = [];
  const completion: Completion = {
    maxAttempts,
    verify(result) {
      const verdict = verdicts[Math.min(shown.length, verdicts.length - 1)]!;
      shown.push(result);
      return typeof verdict === "function" ? verdict(result) : verdict;
    },
  };
  return { completion, shown };
}

const OK: Verdict = { ok: true };
const no = (reason?: string): Verdict => ({ ok: false, ...(reason === undefined ? {} : { reason }) });

const todos = (...items: [content: string, status: string][]): ServerReply =>
  calls(["write_todos", { todos: items.map(([content, status]) => ({ content, status })) }]);

describe("A-30 what a scripted run comes to", () => {
  it("A-19 A-28 A-30 a verifier that says ok at once: completed, one attempt, no note", async () => {
    const { completion, shown } = gate(3, OK);
    const { agent, events, requests } = await bench({ spec: SPEC, completion, replies: [says("Done.")] });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", status: "completed", reply: "Done." });
    expect(shown).toHaveLength(1);
    expect(notes(outcome)).toEqual([]);
    expect(requests).toHaveLength(1);
    expect(types(events, "completion-failed", "completion-passed", "state-leave")).toEqual([
      "completion-passed",
      "state-leave",
    ]);
    expect(ofType(events, "completion-passed")).toMatchObject([{ state: "work", attempt: 1, level: "info" }]);
  });

  it("A-19 A-28 A-30 R-266 fails once, then ok: two finishes and one note with the reason", async () => {
    const { completion } = gate(3, no("the report is missing"), OK);
    const { agent, events, requests } = await bench({
      spec: SPEC,
      completion,
      replies: [says("Done."), says("Now it is.")],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", state: "work", reply: "Done.\n\nNow it is." });
    expect(notes(outcome)).toEqual([
      expect.stringMatching(/^\[completion\] Completion check failed: the report is missing\n.*Correct this/),
    ]);
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1]!.body.messages)).toContain("Completion check failed: the report is missing");
    expect(ofType(events, "completion-failed")).toMatchObject([
      { state: "work", attempt: 1, maxAttempts: 3, reason: "the report is missing", level: "warn" },
    ]);
    expect(ofType(events, "completion-passed")).toMatchObject([{ attempt: 2 }]);
    expect(ofType(events, "state-leave")).toHaveLength(1);
  });

  it("A-24 A-28 A-30 R-162 always fails with three attempts: failed by the limit `completion` after three finishes", async () => {
    const { completion, shown } = gate(3, no("first"), no("second"), no("third"));
    const { agent, events, requests } = await bench({
      spec: SPEC.replace("    instructions: Work.\n", "    instructions: Work.\n    on_error: done\n"),
      completion,
      answer: () => says("Done."),
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({
      kind: "failed",
      status: "failed",
      state: "work",
      limit: "completion",
      exit: { success: false, code: "completion", reason: "not verified after 3 attempts: third" },
    });
    expect(shown).toHaveLength(3);
    expect(requests).toHaveLength(3);
    expect(notes(outcome)).toHaveLength(2);
    expect(ofType(events, "completion-failed").map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(ofType(events, "state-leave")).toMatchObject([{ state: "work", next: "work" }]);
    expect(await agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      exit: { code: "completion", state: "work" },
    });
  });

  it("A-20 A-29 A-30 a plan with an open item, and a retry that writes no plan: not done", async () => {
    const { agent } = await bench({
      spec: SPEC,
      completion: { verify: allTodosDone, maxAttempts: 2 },
      replies: [todos(["pay", "completed"], ["mail Ada", "pending"]), says("Done."), says("Really done.")],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({
      kind: "failed",
      limit: "completion",
      exit: { reason: "not verified after 2 attempts: 1 open: mail Ada" },
    });
  });

  it("A-29 A-30 a plan with an open item, then all completed: done", async () => {
    const { agent } = await bench({
      spec: SPEC,
      completion: { verify: allTodosDone, maxAttempts: 2 },
      replies: [todos(["pay", "pending"]), says("Done."), todos(["pay", "completed"]), says("Now it is.")],
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "completed" });
  });

  it("A-22 A-30 parks on attempt 1: parked, and `verify` is not called, nor for a reply at the park", async () => {
    const { completion, shown } = gate(2, no());
    const { agent } = await bench({
      spec: SPEC,
      completion,
      replies: [advance("review"), says("Please decide."), says("It takes a day.")],
    });

    const parked = await agent.workflow.send("s1", { message: "Go." });
    const replied = await agent.workflow.reply("s1", "How long?");

    expect(parked).toMatchObject({ kind: "parked", parkedChannel: "decision" });
    expect(replied).toMatchObject({ kind: "parked", disposition: "reply" });
    expect(shown).toEqual([]);
  });

  it("A-20 A-21 A-23 A-30 fails, parks, is resumed in another process and finishes: judged on both halves, attempt 2", async () => {
    const first = gate(2, no("no letter yet"));
    const second = gate(2, OK);
    const { agent, again, events } = await bench({
      spec: SPEC,
      completion: first.completion,
      replies: [
        calls(["write_file", { file_path: "a.md", content: "A" }, "c1"]),
        says("Done."),
        advance("review"),
        says("Please decide."),
        calls(["write_todos", { todos: [] }, "c2"]),
        says("Now it is."),
      ],
    });

    const parked = await agent.workflow.send("s1", { message: "Go." });
    const other = await again({ completion: second.completion });
    const outcome = await other.workflow.decide("s1", { target: "done" });

    expect(parked).toMatchObject({ kind: "parked", pending: { instructions: "Decide." } });
    expect(JSON.stringify(parked.pending)).not.toContain("no letter yet");
    expect(outcome).toMatchObject({ kind: "completed", disposition: "decide" });
    expect(second.shown).toHaveLength(1);
    const [judged] = second.shown;
    expect(judged?.toolCalls.map(({ name }) => name)).toEqual(["write_file", "archmax_advance", "write_todos"]);
    expect(judged?.text).toBe("Done.\n\nPlease decide.\n\nNow it is.");
    expect(judged?.turns).toBe(6);
    expect(ofType(events, "completion-passed")).toMatchObject([{ attempt: 2, state: "done" }]);
  });

  it("A-23 A-28 A-30 fails, then meets the step limit: a thrown turn whose stored reason holds both", async () => {
    const { completion } = gate(5, no("the sum is wrong"));
    const { agent } = await bench({ spec: SPEC, completion, answer: () => says("Done.") });

    const thrown = agent.workflow.send("s1", { message: "Go." }, { recursionLimit: 2 });

    await expect(thrown).rejects.toMatchObject({ name: "StepLimitError" });
    expect(await agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      exit: {
        code: "recursion-limit",
        reason: expect.stringMatching(
          /^The turn took 2 steps .* \(stopped in attempt 3; last failed check: the sum is wrong\)$/,
        ),
      },
    });
  });

  it("A-27 A-30 R-186 a child with a failing gate: the call fails with kind `completion`, and its caller is not done by it", async () => {
    const child = gate(2, no("nobody signed"));
    const root = gate(1, OK);
    const { agent, events } = await bench({
      spec: caller("sign"),
      files: workflow("sign", worker("signer")),
      agents: { sign: { completion: child.completion }, case: { completion: root.completion } },
      answer: byModel({
        "test-model": [calls(["archmax_workflow_sign", {}, "c1"]), says("It is done.")],
        signer: [says("Signed."), says("Signed, really.")],
      }),
    });

    const outcome = await agent.workflow.send("s1", { message: "Have it signed." });

    expect(outcome).toMatchObject({
      kind: "rejected",
      rejected: expect.stringMatching(/sign failed \(completion\).*not verified after 2 attempts: nobody signed/),
    });
    expect(outcome.messages.find(({ tool_call_id }) => tool_call_id === "c1")).toMatchObject({
      status: "error",
      content: "archmax_workflow_sign failed (completion): not verified after 2 attempts: nobody signed",
      additional_kwargs: { archmax: { refusal: "delegation:completion" } },
    });
    expect(child.shown).toHaveLength(2);
    expect(root.shown).toHaveLength(0);
    expect(await agent.sessions.get("s1~1")).toMatchObject({ status: "failed", exit: { code: "completion" } });
    expect(ofType(events, "completion-failed")).toMatchObject([
      { sessionId: "s1~1", subWorkflowDispatchId: "1", attempt: 1 },
      { attempt: 2 },
    ]);
  });
});

describe("what the verifier is shown", () => {
  it("A-17 A-20 everything of the run, in order, with what each call came to", async () => {
    const { completion, shown } = gate(1, OK);
    const { agent } = await bench({
      spec: SPEC,
      completion,
      replies: [
        calls(
          ["write_file", { file_path: "scratchpad/a.md", content: "Alpha" }, "c1"],
          ["edit_file", { file_path: "a.md" }, "c2"],
        ),
        calls(setting({ total: 3 }), ["web_search", { q: "x" }, "c4"]),
        says("Done."),
      ],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    const [result] = shown;
    expect(result).toMatchObject({
      text: "Done.",
      toolCallCount: 4,
      turns: 3,
      model: "test-model",
      sessionId: "s1",
      workflow: "case",
      state: "work",
      variables: { total: { value: 3, locked: false } },
      toolCalls: [
        { name: "write_file", args: { content: "Alpha" }, isError: false },
        { name: "edit_file", isError: true, metadata: { refusal: "invalid-arguments" } },
        { name: "archmax_set_variables", isError: false },
        { name: "web_search", isError: true, metadata: { refusal: "unknown-tool" } },
      ],
    });
    expect(result?.toolCalls[1]?.output).toContain("do not fit");
    expect(result?.usage).toEqual(outcome.usage);
    expect(result?.messages).toEqual(outcome.messages);
    expect(result?.auditTrail).toEqual(outcome.auditTrail);
  });

  it("A-17 A-20 a run begins with a fresh turn: what an earlier one did is not judged again", async () => {
    const { completion, shown } = gate(2, OK, no("not yet"), OK);
    const { agent } = await bench({
      spec: SPEC,
      completion,
      replies: [calls(["write_file", { file_path: "a.md", content: "A" }]), says("One."), says("Two."), says("Three.")],
    });

    await agent.workflow.send("s1", { message: "Go." });
    const outcome = await agent.workflow.send("s1", { message: "And now?" });

    expect(outcome).toMatchObject({ kind: "completed" });
    expect(shown.map(({ text, toolCallCount, turns }) => [text, toolCallCount, turns])).toEqual([
      ["One.", 1, 2],
      ["Two.", 0, 1],
      ["Two.\n\nThree.", 0, 2],
    ]);
    expect(shown[1]?.messages.length).toBeGreaterThan(4);
  });

  it("A-17 A-20 H-48 what was said before the session began is none of the run's", async () => {
    const { completion, shown } = gate(1, OK);
    const { agent } = await bench({ spec: SPEC, completion, replies: [says("Sold.")] });
    const messages = [
      { role: "user", content: "Do you sell tea?" },
      { role: "assistant", content: "We do." },
      { role: "user", content: "Two boxes." },
    ] as const;

    await agent.invoke({ messages }, { configurable: { thread_id: "s1" } });

    expect(shown[0]).toMatchObject({ text: "Sold.", turns: 1 });
  });

  it("A-19 an agent that ends by saying nothing is judged as one that says it is done", async () => {
    const { completion, shown } = gate(2, no("nothing was done"), OK);
    const { agent } = await bench({ spec: SPEC, completion, replies: [says(""), says("Done.")] });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", reply: "Done." });
    expect(shown.map(({ text }) => text)).toEqual(["", "Done."]);
  });

  it("A-17 the files can be read and not changed, and what is shown is a copy", async () => {
    const seen: unknown[] = [];
    const { completion } = gate(1, async (result) => {
      const { workspace } = result;
      seen.push((await workspace.readRaw("/a.md")).data?.content, (await workspace.ls("/")).files?.length);
      seen.push(await workspace.write("/b.md", "B"), await workspace.edit("/a.md", "A", "B"));
      seen.push(await workspace.delete("/a.md"), workspace.uploadFiles);
      result.messages[0]!.content = "changed";
      result.messages.length = 0;
      result.variables.total!.value = 99;
      (result.toolCalls[0]!.args as { content: string }).content = "changed";
      return OK;
    });
    const { agent, stores } = await bench({
      spec: SPEC,
      completion,
      replies: [calls(["write_file", { file_path: "a.md", content: "A" }], setting({ total: 3 })), says("Done.")],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(seen).toEqual([
      "A",
      expect.any(Number),
      { error: expect.stringContaining("permission_denied") },
      { error: expect.stringContaining("permission_denied") },
      { error: expect.stringContaining("permission_denied") },
      undefined,
    ]);
    expect(outcome.variables.total?.value).toBe(3);
    expect(JSON.stringify(outcome.messages)).not.toContain("changed");
    expect((await stores.files.list("s1")).map(({ path }) => path)).toEqual(["a.md"]);
  });
});

describe("what comes of a verdict", () => {
  it.each([
    ["missing", no()],
    ["empty", no("")],
    ["blank", no("  ")],
    ["no text", { ok: false, reason: 5 } as never],
  ])("A-19 a reason that is %s reads `unspecified`", async (_what, verdict) => {
    const { completion } = gate(1, verdict);
    const { agent } = await bench({ spec: SPEC, completion, replies: [says("Done.")] });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({
      exit: { reason: "not verified after 1 attempts: unspecified" },
    });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("The checker broke.");
      },
      "The checker broke.",
    ],
    [
      "rejects",
      async () => {
        throw new Error("The checker broke.");
      },
      "The checker broke.",
    ],
    ["answers with nothing", () => undefined as never, "has to answer with an object whose `ok` is true or false"],
    ["answers with a word", () => "ok" as never, "has to answer"],
    ["answers with an `ok` that is no boolean", () => ({ ok: 1 }) as never, "has to answer"],
  ])("A-25 a verifier that %s fails the turn, which is not done", async (_what, verify, message) => {
    const { agent } = await bench({ spec: SPEC, completion: { verify, maxAttempts: 3 }, answer: () => says("Done.") });

    await expect(agent.workflow.send("s1", { message: "Go." })).rejects.toThrow(message);

    expect(await agent.sessions.get("s1")).toMatchObject({
      status: "failed",
      exit: { code: "turn-error", reason: expect.stringContaining(message) },
    });
    expect(await agent.workflow.send("s1", { message: "Again." }).catch((error) => error.message)).toContain(message);
  });

  it("A-19 R-50 R-52 the returns are checked after the gate, and not before it has passed", async () => {
    const { completion, shown } = gate(2, no("set the total"), OK);
    const { agent } = await bench({
      spec: SPEC.replace("manual: ,", "manual: { returns: [total] },"),
      completion,
      replies: [says("Done."), says("Done.")],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "rejected", rejected: expect.stringContaining("without total") });
    expect(shown).toHaveLength(2);
  });

  it("R-50 R-189 delegated work that failed routes the state before the gate is asked", async () => {
    const { completion, shown } = gate(2, OK);
    const { agent } = await bench({
      spec: `${caller("stuck")}    on_error: rescue\n  rescue: { instructions: Mend. }\n`,
      files: workflow("stuck", worker("stuck")),
      completion,
      answer: byModel({
        "test-model": [calls(["archmax_workflow_stuck"]), says("Never mind."), says("Mended.")],
        stuck: [calls(["archmax_raise", { code: "stuck", reason: "No way." }])],
      }),
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ to: "rescue", kind: "on_error" });
    expect(shown.map(({ state }) => state)).toEqual(["rescue"]);
  });

  it("A-22 a raise, a rejection and a thrown turn are not judged, and keep their reasons", async () => {
    const { completion, shown } = gate(2, no());
    const spec = SPEC.replace("    instructions: Work.\n", "    instructions: Work.\n    budget: { maxTurns: 1 }\n");
    const raising = await bench({
      spec: SPEC.replace("archmax_wait]", "archmax_wait, archmax_raise]"),
      completion,
      replies: [calls(["archmax_raise", { code: "no-order", reason: "There is none." }])],
    });
    const spent = await bench({ spec, completion, replies: [calls(["read_file", { file_path: "a" }])] });
    const broken = await bench({ spec, completion, replies: [{ status: 400, error: { message: "No." } }] });

    expect(await raising.agent.workflow.send("s1", { message: "Go." })).toMatchObject({
      kind: "failed",
      exit: { code: "no-order", reason: "There is none." },
    });
    expect(await spent.agent.workflow.send("s1", { message: "Go." })).toMatchObject({
      kind: "rejected",
      rejected: "State work failed: its budget of 1 model calls is spent.",
    });
    await expect(broken.agent.workflow.send("s1", { message: "Go." })).rejects.toThrow();
    expect(shown).toEqual([]);
  });

  it("A-23 A-28 a raise, a spent budget and a failing provider after a failed check are told with it", async () => {
    const suffix = " (stopped in attempt 2; last failed check: too short)";
    const budget = SPEC.replace("    instructions: Work.\n", "    instructions: Work.\n    budget: { maxTurns: 1 }\n");
    const raised = await bench({
      spec: SPEC,
      completion: gate(3, no("too short")).completion,
      replies: [says("Done."), calls(["archmax_raise", { code: "no-order", reason: "There is none." }])],
    });
    const spent = await bench({
      spec: budget,
      completion: gate(3, no("too short")).completion,
      replies: [says("Done.")],
    });
    const broken = await bench({
      spec: SPEC,
      completion: gate(3, no("too short")).completion,
      replies: [says("Done.")],
    });

    expect((await raised.agent.workflow.send("s1", { message: "Go." })).exit).toMatchObject({
      code: "no-order",
      reason: `There is none.${suffix}`,
    });
    expect((await spent.agent.workflow.send("s1", { message: "Go." })).rejected).toBe(
      `State work failed: its budget of 1 model calls is spent.${suffix}`,
    );
    await expect(broken.agent.workflow.send("s1", { message: "Go." })).rejects.toThrow();
    expect((await broken.agent.sessions.get("s1"))?.exit).toMatchObject({
      code: "turn-error",
      reason: expect.stringMatching(/ \(stopped in attempt 2; last failed check: too short\)$/),
    });
  });

  it("A-23 the next turn knows nothing of the check", async () => {
    const { completion } = gate(1, no("too short"));
    const { agent } = await bench({
      spec: SPEC,
      completion,
      replies: [says("Done."), calls(["archmax_raise", { code: "c", reason: "There is none." }])],
    });

    await agent.workflow.send("s1", { message: "Go." });
    const outcome: Outcome = await agent.workflow.send("s1", { message: "Again." });

    expect(outcome.exit).toMatchObject({ code: "c", reason: "There is none." });
    expect(outcome).not.toHaveProperty("limit");
  });

  it("A-17 S-20 a turn that is cancelled does not wait for the verifier", async () => {
    const abort = new AbortController();
    const { completion } = gate(2, () => {
      abort.abort(new Error("Enough."));
      return new Promise<never>(() => {});
    });
    const { agent } = await bench({ spec: SPEC, completion, replies: [says("Done.")] });

    await expect(agent.workflow.send("s1", { message: "Go." }, { signal: abort.signal })).rejects.toThrow("Enough.");

    expect((await agent.sessions.get("s1"))?.exit).toMatchObject({ code: "turn-cancelled" });
  });
});

describe("a code state that ends the work", () => {
  const script = { "workflows/case/scripts/end.js": "export default async () => {};" };
  const ending = (before: string) => `
states:
${before}
  end:
    type: code
    script: scripts/end.js
`;

  it("A-26 is judged where a model was called in the run, and no attempt is left when the check fails", async () => {
    const { completion, shown } = gate(3, no("the file is missing"));
    const { agent, requests } = await bench({
      spec: ending(
        "  work:\n    triggers: { manual: }\n    instructions: Work.\n    transitions: [{ to: end, description: Go. }]",
      ),
      files: script,
      completion,
      replies: [advance("end")],
    });

    const outcome = await agent.workflow.send("s1", { message: "Go." });

    expect(outcome).toMatchObject({
      kind: "failed",
      state: "end",
      limit: "completion",
      exit: { code: "completion", reason: "not verified after 1 attempts: the file is missing" },
    });
    expect(shown).toMatchObject([{ state: "end", turns: 1 }]);
    expect(requests).toHaveLength(1);
  });

  it("A-26 is not judged where no model was called", async () => {
    const { completion, shown } = gate(3, no());
    const { agent } = await bench({
      spec: ending(
        "  gate:\n    type: human\n    triggers: { manual: }\n    instructions: Decide.\n    transitions: [{ to: end, description: Go. }]",
      ),
      files: script,
      completion,
    });

    await agent.workflow.send("s1", { message: "Go." });

    expect(await agent.workflow.decide("s1", { target: "end" })).toMatchObject({ kind: "completed" });
    expect(shown).toEqual([]);
  });

  it("A-19 completes when the check passes", async () => {
    const { completion } = gate(1, OK);
    const { agent, events } = await bench({
      spec: ending(
        "  work:\n    triggers: { manual: }\n    instructions: Work.\n    transitions: [{ to: end, description: Go. }]",
      ),
      files: script,
      completion,
      replies: [advance("end")],
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "completed", state: "end" });
    expect(types(events, "code-result", "completion-passed")).toEqual(["code-result", "completion-passed"]);
  });
});

it("A-27 a caller's gate is not applied to its children", async () => {
  const { completion, shown } = gate(1, OK);
  const { agent } = await bench({
    spec: caller("sign"),
    files: workflow("sign", worker("signer")),
    completion,
    answer: byModel({
      "test-model": [calls(["archmax_workflow_sign", {}]), says("It is done.")],
      signer: [says("Signed.")],
    }),
  });

  expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "completed" });
  expect(shown.map(({ sessionId }) => sessionId)).toEqual(["s1"]);
});

it("A-19 H-127 a plain agent is held to its gate as well", async () => {
  const { completion, shown } = gate(2, no("too short"), OK);
  const { agent, requests } = await plainBench({ completion, replies: [says("Done."), says("Now it is.")] });

  const { messages } = await agent.invoke(
    { messages: [{ role: "user", content: "Go." }] },
    { configurable: { thread_id: "s1" } },
  );

  expect(shown.map(({ text }) => text)).toEqual(["Done.", "Done.\n\nNow it is."]);
  expect(requests).toHaveLength(2);
  expect(messages.at(-1)?.content).toBe("Now it is.");
  expect(await agent.sessions.get("s1")).toMatchObject({ status: "completed" });
});
