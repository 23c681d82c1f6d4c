/** Requests that are shortened while the transcript stays whole (A-71…A-74). */
import { describe, expect, it } from "vitest";
import type { Compaction } from "../../lib/extensions/index.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import type { Bench } from "../harness/agent.js";
import { advance, benches, calls, ofType, says } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [ls] }
    transitions: [{ to: ask, description: To a person. }]
  ask: { type: human, instructions: Decide., transitions: [{ to: work, description: Fine. }] }
`;

/** Eight tokens of a person's, two of an answer. */
const MESSAGE = "x".repeat(32);
const ANSWER = "y".repeat(8);

const conversation = (turns: number) => Array.from({ length: turns }, () => says(ANSWER));

async function talk(bench: Bench, turns: number) {
  let outcome: Awaited<ReturnType<typeof bench.agent.workflow.send>> | undefined;
  for (let n = 0; n < turns; n += 1) outcome = await bench.agent.workflow.send("s1", { message: MESSAGE });
  return outcome!;
}

/** Each message that was sent, as role and content. */
const sent = ({ requests }: Bench, index: number) =>
  requests[index]!.body.messages.map(({ role, content }) => [role, String(content)] as const);
/** Without the prompt. */
const rest = (bench: Bench, index: number) => sent(bench, index).slice(1);

function summing(more: Partial<Compaction> = {}): Compaction & { asked: number[] } {
  const asked: number[] = [];
  return Object.assign(
    {
      maxTokens: 30,
      summarize: (older: readonly unknown[]) => {
        asked.push(older.length);
        return `Summary of ${older.length}.`;
      },
      ...more,
    },
    { asked },
  );
}

/** The option alone: what counts along is no part of it. */
const option = ({ asked: _asked, ...compaction }: Compaction & { asked: number[] }): Compaction => compaction;

describe("a request that has grown past the limit", () => {
  it("A-71 carries the prompt unchanged, one system message with the summary, and the tail", async () => {
    const compaction = summing();
    const bench = await open({ spec: SPEC, compaction: option(compaction), replies: conversation(4) });

    await talk(bench, 4);

    // 8 + 2 + 8 + 2 + 8 = 28 tokens are sent whole; with 38 the half of 30 is left for the tail: 8.
    expect(rest(bench, 2)).toHaveLength(5);
    expect(rest(bench, 3)).toEqual([
      ["system", "Summary of 6."],
      ["user", MESSAGE],
    ]);
    expect(sent(bench, 3)[0]).toEqual(sent(bench, 0)[0]);
    expect(compaction.asked).toEqual([6]);
  });

  it("A-2 A-71 is, at or below the limit, byte for byte what it is without the option", async () => {
    const compaction = summing({ maxTokens: 28, summarize: () => Promise.reject(new Error("never")) });
    const bench = await open({ spec: SPEC, compaction: option(compaction), replies: conversation(3) });
    const plain = await open({ spec: SPEC, replies: conversation(3) });

    await talk(bench, 3);
    await talk(plain, 3);

    expect(bench.requests.map(({ body }) => JSON.stringify(body))).toEqual(
      plain.requests.map(({ body }) => JSON.stringify(body)),
    );
    expect(ofType(bench.events, "warning")).toEqual([]);
  });

  it("A-71 takes every four characters begun for a token where the host does not count", async () => {
    const compaction = summing({ maxTokens: 28 });
    const bench = await open({ spec: SPEC, compaction: option(compaction), replies: conversation(3) });

    await talk(bench, 2);
    await bench.agent.workflow.send("s1", { message: `${MESSAGE}x` });

    expect(compaction.asked).toEqual([4]);
  });

  it("A-71 is measured by the host's own counting, and keeps as much of a tail as it is told to", async () => {
    const compaction = summing({ maxTokens: 4, keepTail: 3, countTokens: (messages) => messages.length });
    const bench = await open({ spec: SPEC, compaction: option(compaction), replies: conversation(3) });

    await talk(bench, 3);

    expect(rest(bench, 1)).toHaveLength(3);
    expect(rest(bench, 2).map(([role]) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(compaction.asked).toEqual([2]);
  });

  it("A-73 R-278 leaves the transcript whole, for outcomes and a park's resumption", async () => {
    const compaction = summing({ maxTokens: 20 });
    const bench = await open({
      spec: SPEC,
      compaction: option(compaction),
      replies: [...conversation(2), advance("ask"), says("Please decide."), says("Thanks.")],
    });

    await talk(bench, 2);
    const parked = await talk(bench, 1);
    const { messages } = await bench.agent.workflow.decide("s1", { target: "work" });

    expect(parked.kind).toBe("parked");
    const people = messages.filter(({ role, content }) => role === "user" && content === MESSAGE);
    expect(people).toHaveLength(3);
    expect(rest(bench, 4)[0]?.[0]).toBe("system");
  });

  it("A-73 keeps its summary over turns and processes, and makes the next one when that has grown too large", async () => {
    const compaction = summing({ keepTail: 10 });
    const bench = await open({ spec: SPEC, compaction: option(compaction), replies: conversation(8) });
    await talk(bench, 4);

    const other = await bench.again();
    for (let n = 0; n < 4; n += 1) await other.workflow.send("s1", { message: MESSAGE });

    expect(rest(bench, 4)[0]).toEqual(["system", "Summary of 6."]);
    expect(rest(bench, 4).map(([role]) => role)).toEqual(["system", "user", "assistant", "user"]);
    expect(compaction.asked).toEqual([6, 10, 14]);
    expect(rest(bench, 7)).toEqual([
      ["system", "Summary of 14."],
      ["user", MESSAGE],
    ]);
  });

  it.each<[string, Compaction["summarize"]]>([
    ["throws", () => Promise.reject(new Error("no model"))],
    ["makes nothing", () => " "],
    ["makes no text", () => 7 as never],
  ])("A-73 is sent whole, with a warning, when summarize %s", async (_how, summarize) => {
    const bench = await open({ spec: SPEC, compaction: { maxTokens: 30, summarize }, replies: conversation(4) });

    const outcome = await talk(bench, 4);

    expect(outcome.kind).toBe("completed");
    expect(rest(bench, 3)).toHaveLength(7);
    expect(ofType(bench.events, "warning")).toMatchObject([{ scope: "compaction" }]);
  });

  it("A-72 is sent whole where only its first message may begin a tail, and summarize is not asked", async () => {
    const compaction = summing({ maxTokens: 5 });
    const bench = await open({
      spec: SPEC,
      compaction: option(compaction),
      replies: [calls(["ls", { path: "/" }]), calls(["ls", { path: "/" }]), says("end")],
    });

    await talk(bench, 1);

    expect(rest(bench, 2).map(([role]) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
    expect(compaction.asked).toEqual([]);
  });

  it("A-72 F-66 gives no call an id of a message that is no longer sent", async () => {
    const bench = await open({
      spec: SPEC,
      compaction: { maxTokens: 12, summarize: () => "S" },
      replies: [calls(["ls", { path: "/" }, "same"]), says("One."), calls(["ls", { path: "/" }, "same"]), says("Two.")],
    });

    const { messages } = await talk(bench, 2);

    expect(rest(bench, 2)[0]).toEqual(["system", "S"]);
    const ids = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? []);
    expect(new Set(ids).size).toBe(2);
  });

  it("A-73 R-305 lets a turn be stopped while the summary is made", async () => {
    const stop = new AbortController();
    const bench = await open({
      spec: SPEC,
      compaction: {
        maxTokens: 5,
        summarize: () => {
          stop.abort();
          return new Promise<string>(() => {});
        },
      },
      replies: conversation(2),
    });
    await talk(bench, 1);

    const sending = bench.agent.workflow.send("s1", { message: MESSAGE }, { signal: stop.signal });

    await expect(sending).rejects.toThrow();
    expect(ofType(bench.events, "warning")).toEqual([]);
  });
});

describe("flushToMemory", () => {
  const mounts = {
    "/memories/": { backend: createMemoryBackend(), readOnly: false },
    "/kb/": { backend: createMemoryBackend(), readOnly: true },
  };

  it("A-74 reminds of the mount once for each compaction, and not unless it is asked for", async () => {
    const compaction = summing({ keepTail: 10, flushToMemory: "/memories/" });
    const bench = await open({
      spec: SPEC,
      workspace: { mounts },
      compaction: option(compaction),
      replies: conversation(6),
    });

    await talk(bench, 6);

    expect(compaction.asked).toEqual([6, 10]);
    const reminders = bench.requests.map(
      (_, index) => rest(bench, index).filter(([, text]) => text.includes("/memories/")).length,
    );
    expect(reminders).toEqual([0, 0, 0, 1, 0, 1]);
    expect(rest(bench, 3).map(([role]) => role)).toEqual(["system", "system", "user"]);
  });

  it.each(["/kb/", "/nowhere/", "memo"])("A-74 H-10 refuses %s, which is no writable mount", async (flushToMemory) => {
    const opening = open({
      spec: SPEC,
      workspace: { mounts },
      compaction: { maxTokens: 1, summarize: () => "", flushToMemory },
    });

    await expect(opening).rejects.toThrow(TypeError);
    await expect(opening).rejects.toThrow(/no writable mount; there are: memories/);
  });
});
