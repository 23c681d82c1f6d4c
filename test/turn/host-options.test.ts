/** What a host passes to `createAgent`, as a turn shows it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as parkway from "../../lib/index.js";
import type { CodeStateRun } from "../../lib/sandbox/types.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { sharedSandbox } from "../harness/agent.js";
import { benches, calls, says } from "./support.js";

const ANSWER = `
title: Answers
instructions: Answer what is asked.
tools: { allow_always: [find] }
states:
  answer:
    triggers: { manual: }
    instructions: Answer in one line.
`;

const find = toolsFromMap({
  find: { description: "Finds.", inputSchema: { type: "object" }, readOnly: true, handler: () => "found" },
  hide: { description: "Hides.", inputSchema: { type: "object" }, handler: () => "hidden" },
});

const open = benches();

describe("what a host adds", () => {
  it("H-17 its prompt text stands right after AGENTS.md, in the part of the prompt that never changes", async () => {
    const bench = await open({
      spec: ANSWER,
      files: { "AGENTS.md": "You are Ada." },
      tools: find,
      systemPrompt: "The shop closes at six.",
      replies: [says("One."), says("Two.")],
    });

    await bench.agent.workflow.send("s1", { message: "First?" });
    await bench.agent.workflow.send("s1", { message: "Second?" });

    const prompts = bench.requests.map(({ body }) => String(body.messages[0]?.content));
    expect(prompts[0]?.startsWith("You are Ada.\n\nThe shop closes at six.\n\n")).toBe(true);
    expect(prompts[1]?.startsWith("You are Ada.\n\nThe shop closes at six.\n\n")).toBe(true);
  });

  it("H-18 a tool that is passed exists; the state's grant decides who may call it", async () => {
    const bench = await open({
      spec: ANSWER,
      tools: find,
      replies: [calls(["find"], ["hide"]), says("Done.")],
    });

    await bench.agent.workflow.send("s1", { message: "Look." });

    const offered = bench.requests[0]?.body.tools?.map((tool) => tool.function.name);
    expect(offered).toContain("find");
    expect(offered).not.toContain("hide");
    expect(bench.events.filter((event) => event.type === "tool-blocked")).toMatchObject([{ tool: "hide" }]);
  });

  it("H-37 another sandbox runs the code states, with the workflow's own limits", async () => {
    const runs: CodeStateRun[] = [];
    const bench = await open({
      spec: `
settings: { timeoutMs: 1234, memoryLimitBytes: 20000000, maxPtcCalls: 7, maxResultChars: 99 }
states:
  work:
    type: code
    script: scripts/work.js
    triggers: { manual: }
`,
      files: { "workflows/case/scripts/work.js": "export default async function () {}" },
      sandboxRuntime: {
        ...sharedSandbox(),
        runCodeState: async (run) => {
          runs.push(run);
          return { status: "ok" };
        },
      },
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome.kind).toBe("completed");
    expect(runs.map(({ limits }) => limits)).toEqual([
      { timeoutMs: 1234, memoryLimitBytes: 20_000_000, maxPtcCalls: 7, maxResultChars: 99 },
    ]);
  });

  it("H-80 H-81 events are numbered without a gap, stamped, and name their session; a call has its pair of one id", async () => {
    const bench = await open({
      spec: ANSWER,
      tools: find,
      replies: [calls(["find", {}, "call-7"]), says("Done.")],
    });

    await bench.agent.workflow.send("s1", { message: "Look." });

    expect(bench.events.map((event) => event.seq)).toEqual(bench.events.map((_, index) => index + 1));
    expect(bench.events.every((event) => event.ts === bench.clock.now())).toBe(true);
    expect(bench.events.filter((event) => event.sessionId === undefined).map((event) => event.type)).toEqual([
      "graph-topology",
      "prompt-shaping",
    ]);
    const pair = bench.events.filter((event) => event.type === "tool-called" || event.type === "tool-result");
    expect(pair).toMatchObject([
      { type: "tool-called", callId: "call-7" },
      { type: "tool-result", callId: "call-7" },
    ]);
    expect(bench.events.at(-1)?.type).toBe("state-leave");
  });

  it("H-128 two turns on one session run one after the other, in the order they were accepted; two sessions side by side", async () => {
    let running = 0;
    let together = 0;
    const bench = await open({
      spec: ANSWER,
      tools: find,
      answer: async () => {
        running += 1;
        together = Math.max(together, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return says("Done.");
      },
    });
    const other = await bench.again();

    await bench.agent.accept("s1", { kind: "turn", message: "One" });
    await bench.agent.accept("s1", { kind: "turn", message: "Two" });
    const [first, second] = await Promise.all([bench.agent.work("s1"), other.work("s1")]);

    expect([first?.left, second?.left].sort()).toEqual(["busy", "idle"]);
    expect(together).toBe(1);
    const said = (await bench.agent.workflow.send("s2", { message: "Three" })).messages;
    expect(said).toHaveLength(2);
    const outcome = await bench.agent.workflow.send("s1", { message: "Last" });
    const asked = outcome.messages.filter((message) => message.role === "user").map((message) => message.content);
    expect(asked).toEqual(["One", "Two", "Last"]);
  });
});

describe("the package", () => {
  it("H-1 is an ES module for current Node", () => {
    const manifest = JSON.parse(readFileSync(join(import.meta.dirname, "..", "..", "package.json"), "utf8"));

    expect(manifest).toMatchObject({ type: "module", engines: { node: expect.stringMatching(/^>=22/) } });
    expect(manifest.main).toBeUndefined();
  });

  it("H-5 exports every error class it throws, named as its class and extending Error", () => {
    const classes = Object.entries(parkway).filter(([name]) => name.endsWith("Error"));

    expect(classes.length).toBeGreaterThan(25);
    for (const [name, value] of classes) {
      expect((value as { prototype: object }).prototype).toBeInstanceOf(Error);
      expect((value as { name: string }).name).toBe(name);
    }
    expect(new parkway.EmptyMessageError().name).toBe("EmptyMessageError");
  });
});
