import { describe, expect, it } from "vitest";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type ToolDescriptor, toolsFromMap } from "../../lib/tools/index.js";
import { temporaryFolder } from "../harness/temporary.js";
import { wrapStore } from "../harness/wrap-store.js";
import { benches, calls, ofType, results } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview, WAITS } from "./workflows.js";

const open = benches();
const stop = new Error("The customer hung up.");
const tool = (handler: ToolDescriptor["handler"], more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  description: "A tool.",
  inputSchema: { type: "object" },
  handler,
  ...more,
});
const TWO = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [deaf, quick, read_file, write_file, ls] }
    transitions: [{ to: next }]
  next:
    instructions: Next.
`;
const within = <T>(ms: number, work: Promise<T>): Promise<T | "hangs"> =>
  Promise.race([work, new Promise<"hangs">((resolve) => setTimeout(() => resolve("hangs"), ms))]);

describe("scratch", () => {
  it("1 tool that ignores abort", async () => {
    const reached = gate();
    const late = gate();
    const bench = await open({
      spec: TWO,
      tools: toolsFromMap({
        deaf: tool(async () => {
          reached.open();
          await late.opened;
          return "late";
        }),
        quick: tool(() => "quick"),
      }),
      replies: [calls(["deaf"], ["quick"]), { text: "Yes." }, { text: "Yes2." }],
    });
    const aborter = new AbortController();
    const turn = bench.agent.workflow.send("s1", { message: "Go" }, { signal: aborter.signal }).catch((e) => e);
    await reached.opened;
    aborter.abort(stop);
    const r = await within(1500, turn);
    console.log("1:", r === "hangs" ? "HANGS" : String(r));
    late.open();
    await turn;
    await new Promise((r) => setTimeout(r, 50));
    const o = await bench.agent.workflow.send("s1", { message: "Again" });
    console.log(
      "1 results",
      JSON.stringify(results(o)),
      o.status,
      o.messages.map((m) => m.content),
    );
  });

  it("2 two tools that reject on abort", async () => {
    const reached = gate();
    let n = 0;
    const rejecting = tool(
      (_i, { signal }) =>
        new Promise((_r, reject) => {
          signal.addEventListener("abort", () => setTimeout(() => reject(new Error("x")), n++ * 20 + 5));
          if (++n === 2) reached.open();
        }),
    );
    const bench = await open({
      spec: TWO,
      tools: toolsFromMap({ deaf: rejecting, quick: rejecting }),
      replies: [calls(["deaf"], ["quick"]), { text: "Yes." }],
    });
    const aborter = new AbortController();
    const turn = bench.agent.workflow.send("s1", { message: "Go" }, { signal: aborter.signal }).catch((e) => e);
    await reached.opened;
    aborter.abort(stop);
    console.log("2:", String(await within(1500, turn)));
    await new Promise((r) => setTimeout(r, 200));
    const o = await bench.agent.workflow.send("s1", { message: "Again" });
    console.log("2 results", JSON.stringify(results(o)));
  });

  it("5 transient renew failure", async () => {
    const slow = gate();
    let failed = 0;
    const sessions = wrapStore(createMemorySessionStore(), (op, run) => {
      if (op.name === "renew" && failed === 0) {
        failed += 1;
        return Promise.reject(new Error("busy"));
      }
      return run();
    });
    const bench = await open({
      spec: ANSWERS,
      stores: { sessions, files: createMemoryFileStore() },
      answer: async () => {
        await slow.opened;
        return { text: "Yes." };
      },
    });
    const turn = bench.agent.workflow.send("s1", { message: "Go" }).catch((e) => e);
    await expect.poll(() => bench.requests.length).toBe(1);
    bench.clock.advance(2_000);
    await expect.poll(() => failed).toBe(1);
    await new Promise((r) => setTimeout(r, 20));
    slow.open();
    const o = await within(1500, turn);
    console.log(
      "5:",
      o === "hangs" ? o : o instanceof Error ? String(o) : o.status,
      JSON.stringify((await bench.agent.sessions.get("s1"))?.exit),
    );
  });

  for (const [name, path2] of [
    ["file below a file", "/notes/x.md"],
    ["long name", `/${"n".repeat(300)}.md`],
    ["long path", `/${"d/".repeat(3000)}x.md`],
    ["another session", "/sub/x.md"],
    ["folder in the way", "/dir"],
  ] as const) {
    it(`6 ${name}`, async () => {
      const folder = temporaryFolder();
      const bench = await open({
        spec: TWO,
        tools: toolsFromMap({ deaf: tool(() => ""), quick: tool(() => "quick") }),
        stores: { sessions: createMemorySessionStore(), files: createFilesystemFileStore({ dir: folder.dir }) },
        replies: [
          calls(["write_file", { file_path: "/notes", content: "a" }]),
          calls(["write_file", { file_path: "/dir/y", content: "a" }]),
          calls(["write_file", { file_path: path2, content: "b" }]),
          { text: "Yes." },
          { text: "Yes2." },
        ],
      });
      await bench.agent.sessions.seed("s1/sub", { "x.md": "other" });
      const turn = bench.agent.workflow.send("s1", { message: "Go" }).catch((e) => e);
      const o = await within(1500, turn);
      console.log(
        "6",
        name,
        o === "hangs" ? o : o instanceof Error ? String(o) : `${o.status} ${JSON.stringify(results(o).at(-1))}`,
      );
      if (o === "hangs") {
        const { record } = (await bench.stores.sessions.read("s1"))!;
        console.log("   ", record.lastFailure, record.active?.attempts);
      }
      folder.remove();
    });
  }

  it("8 list with corrupt", async () => {
    const inner = createMemorySessionStore();
    const sessions = wrapStore(inner, async (op, run) => {
      const got = await run();
      if (op.name === "read" && op.args[0] === "bad")
        (got as any).thread.forEach((i: any) => {
          i.value = i.value.replace('"f":1', '"f":9');
        });
      return got;
    });
    const bench = await open({
      spec: ANSWERS,
      stores: { sessions, files: createMemoryFileStore() },
      answer: always("Yes."),
    });
    await bench.agent.workflow.send("good", { message: "x" });
    await bench.agent.workflow.send("bad", { message: "x" });
    console.log("8", await bench.agent.sessions.list().then((l) => l.map((s) => s.sessionId), String));
  });

  it("9 repeat with files", async () => {
    const bench = await open({ spec: REVIEWED, replies: [toReview, { text: "Please decide." }] });
    const input = { message: "x", files: { doc: { name: "a.txt", content: "hi" } } };
    const a = await bench.agent.workflow.send("s1", input, { idempotencyKey: "k" });
    console.log(
      "9",
      a.status,
      await bench.agent.workflow.send("s1", input, { idempotencyKey: "k" }).then((o) => o.status, String),
    );
  });

  it("10 wait in the past spins", async () => {
    let n = 0;
    const bench = await open({
      spec: WAITS,
      answer: () =>
        ++n > 30 ? { text: "enough" } : { text: "w", ...calls(["archmax_wait", { reason: "r", until: "2020-01-01" }]) },
    });
    const o = await within(5000, bench.agent.workflow.send("s1", { message: "x" }));
    console.log("10", o === "hangs" ? o : o.status, n);
  });

  it("4 async onEvent", async () => {
    const bench = await open({
      spec: ANSWERS,
      answer: always("Yes."),
      onEvent: (async () => {
        throw new Error("sub");
      }) as any,
    });
    console.log("4", (await bench.agent.workflow.send("s1", { message: "x" })).status);
    await new Promise((r) => setTimeout(r, 20));
  });
});
