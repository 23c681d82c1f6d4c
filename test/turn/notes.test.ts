import { describe, expect, it } from "vitest";
import { isRuntimeNote, runtimeNoteKind, type StoredMessage } from "../../lib/session/messages.js";
import type { BenchOptions } from "../harness/agent.js";
import { benches, calls, notes, ofType, results, says, types } from "./support.js";

const open = benches();

const SPEC = `
states:
  gate:
    type: code
    script: scripts/gate.js
    triggers: { manual: , job: { message: false } }
    transitions: [{ to: work }]
  work: { instructions: Work., budget: { maxTurns: 3 }, on_error: ask, transitions: [{ to: ask }] }
  ask: { type: human, instructions: Decide., transitions: [{ to: work, description: On }] }
`;
const files = {
  "workflows/case/scripts/gate.js": `export default ({ tools }) => tools.archmax_advance({ to: "work", reason: "open" });`,
};
const waits = { ...calls(["archmax_wait", { reason: "mail" }]), text: "I wait." };

/** A session that has seen a code state's note, an event's, an error's, and a decision's. */
async function busy(options: Pick<BenchOptions, "onMetric"> = {}) {
  const bench = await open({
    ...options,
    spec: SPEC,
    files,
    replies: [waits, calls(["ls"]), calls(["ls"]), says("Please decide."), says("Thanks, done.")],
  });
  const { workflow } = bench.agent;
  await workflow.send("s1", { message: "[decision] ok" });
  await workflow.deliver("s1", { trigger: { id: "mail" }, variables: { a: 1 } });
  const outcome = await workflow.decide("s1", { target: "work", comment: "Fine." });
  return { bench, outcome };
}

describe("runtime notes", () => {
  it("R-265 are a marked assistant call of archmax_note and its marked answer", async () => {
    const { outcome } = await busy();
    const marked = outcome.messages.filter(isRuntimeNote);

    expect(marked).toHaveLength(8);
    for (let index = 0; index < marked.length; index += 2) {
      const [carrier, text] = marked.slice(index, index + 2) as [StoredMessage, StoredMessage];
      expect(carrier).toMatchObject({ role: "assistant", content: "", tool_calls: [{ name: "archmax_note" }] });
      expect(text).toMatchObject({ role: "tool", name: "archmax_note", tool_call_id: carrier.tool_calls?.[0]?.id });
      expect(runtimeNoteKind(carrier)).toBe(runtimeNoteKind(text));
    }
  });

  it("R-266 begin with their kind in brackets", async () => {
    const { outcome } = await busy();

    expect(notes(outcome).map((text) => /^\[[a-z-]+\]/.exec(text)?.[0])).toEqual([
      "[code]",
      "[event]",
      "[error]",
      "[decision]",
    ]);
  });

  it("R-265 archmax_note is registered nowhere: nobody is offered it, and a model that calls it is refused", async () => {
    const bench = await open({ spec: SPEC, files, replies: [calls(["archmax_note", { kind: "code" }]), says("end")] });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome)).toMatchObject([{ refusal: "blocked:tool.ungrantable" }]);
    expect(notes(outcome)).toHaveLength(1);
    for (const { body } of bench.requests)
      expect(body.tools?.map((tool) => tool.function.name)).not.toContain("archmax_note");
  });

  it("R-267 R-43 an opening note is one marked human-role message in place of the person's", async () => {
    const bench = await open({ spec: SPEC, files, replies: [says("end")] });
    const outcome = await bench.agent.workflow.send("s1", {
      trigger: { id: "job" },
      variables: { order: "A-7", lines: [1] },
    });
    const [note] = outcome.messages;

    expect(note).toMatchObject({ role: "user", content: expect.stringMatching(/^\[opening\][\s\S]*job[\s\S]*A-7/) });
    expect(note && runtimeNoteKind(note)).toBe("opening");
    expect(note?.content).not.toContain("[1]");
    expect(bench.requests[0]?.body.messages[1]).toMatchObject({ role: "user" });
  });

  it("R-268 the mark alone counts: a person who types `[decision] ok` is a person", async () => {
    const { outcome } = await busy();
    const [person] = outcome.messages as [StoredMessage];

    expect(person.content).toBe("[decision] ok");
    expect(isRuntimeNote(person)).toBe(false);
    expect(runtimeNoteKind(person)).toBeNull();
  });

  it("R-269 R-17 count as no tool call in events and figures, and are not part of `reply`", async () => {
    const counted: number[] = [];
    const { bench, outcome } = await busy({
      onMetric: (metric) => void (metric.event === "run" && counted.push(metric.toolCalls)),
    });

    expect(ofType(bench.events, "tool-called").filter(({ tool }) => tool === "archmax_note")).toEqual([]);
    expect(ofType(bench.events, "tool-result").filter(({ tool }) => tool === "archmax_note")).toEqual([]);
    expect(outcome.reply).toBe("Thanks, done.");
    expect(types(bench.events, "model-usage")).toEqual([]);
    expect(counted).toEqual([1, 2, 0]);
  });

  it("R-270 a note is committed with the move it reports, for another process to read", async () => {
    const { bench, outcome } = await busy();
    const { loadState } = await import("../../lib/session/load-state.js");
    const stored = (await loadState(bench.stores.sessions, "s1"))?.state;

    expect(stored?.messages).toEqual(outcome.messages);
    expect(stored?.trail.map(({ kind }) => kind)).toEqual(["trigger", "code", "trigger", "on_error", "human"]);
  });

  it("R-278 F-65 the transcript is sent whole, notes included, with object arguments", async () => {
    const { bench, outcome } = await busy();
    const sent = bench.requests.at(-1)?.body.messages ?? [];

    expect(sent).toHaveLength(outcome.messages.length - 1 + 1);
    for (const call of sent.flatMap((message) => message.tool_calls ?? []))
      expect(JSON.parse(call.function.arguments)).toBeTypeOf("object");
  });

  it("R-278 a transcript of any length is sent from its first message on", async () => {
    const earlier = Array.from({ length: 400 }, (_, n) => ({
      role: n % 2 ? "assistant" : "user",
      content: `${n}: ${"x".repeat(2_000)}`,
    }));
    const bench = await open({
      spec: "states: { work: { instructions: Work., triggers: { manual: } } }",
      replies: [says("end")],
    });
    const messages = [...earlier, { role: "user", content: "go" }];
    await bench.agent.invoke({ messages }, { configurable: { thread_id: "s1" } });

    expect(bench.requests[0]?.body.messages.slice(1).map(({ content }) => content)).toEqual(
      messages.map(({ content }) => content),
    );
  });
});
