import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { describe, expect, it } from "vitest";
import { type ToolDescriptor, toolsFromMap } from "../../lib/tools/index.js";
import { temporaryFolder } from "../harness/temporary.js";
import { wrapStore } from "../harness/wrap-store.js";
import { benches, calls, ofType, results, system } from "./support.js";
import { ANSWERS, always, gate, REVIEWED, toReview, WAITS } from "./workflows.js";

const open = benches();
const tool = (handler: ToolDescriptor["handler"], more: Partial<ToolDescriptor> = {}): ToolDescriptor => ({
  description: "A tool.", inputSchema: { type: "object" }, handler, ...more,
});
const within = <T>(ms: number, work: Promise<T>): Promise<T | "hangs"> =>
  Promise.race([work, new Promise<"hangs">((resolve) => setTimeout(() => resolve("hangs"), ms))]);
const log = (...a: unknown[]) => console.log(a.map((x) => typeof x === "string" ? x : JSON.stringify(x)).join(" ").slice(0, 700));
const CODE = (tools: string) => `states: { pay: { type: code, triggers: { manual: }, script: scripts/pay.js, tools: { allow: [${tools}] }, on_error: bad }, bad: { instructions: Sorry. } }`;

describe("scratch", () => {
  it("a replay with parallel calls", async () => {
    let dead = false;
    const never = new Promise<never>(() => {});
    const slow = gate();
    const reachedB = gate();
    const inner = createMemorySessionStore();
    const mortal = wrapStore(inner, (op, run) => (dead ? never : run()));
    let n = 0;
    const tools = toolsFromMap({
      a: tool(async () => { n += 1; if (n === 1) await never; return "A"; }, { readOnly: true }),
      b: tool(async () => { reachedB.open(); return "B"; }, { idempotent: true }),
    });
    const files = { "workflows/case/scripts/pay.js": "export default async ({ tools }) => { const [a, b] = await Promise.all([tools.a({}), tools.b({})]); console.log(a + b); };" };
    const bench = await open({ spec: CODE("a, b"), files, tools, stores: { sessions: mortal, files: createMemoryFileStore() }, replies: [{ text: "sorry" }] });
    void bench.agent.workflow.send("s1", { message: "go" }).catch(() => {});
    await reachedB.opened;
    await new Promise((r) => setTimeout(r, 50));
    dead = true;
    bench.clock.advance(120_000);
    const again = await bench.again({ stores: undefined } as never).catch(() => null);
    const b2 = await open({ spec: CODE("a, b"), files, tools, stores: { sessions: inner, files: bench.stores.files }, replies: [{ text: "sorry" }], host: { clock: bench.clock } });
    const rep = await b2.agent.work("s1");
    log("a", rep.settled.map((s) => [s.outcome?.status, s.outcome?.state]), ofType(b2.events, "code-result"), ofType(b2.events, "code-output").map((e) => e.line));
  });

  it("b idempotent tool that kills the process", async () => {
    const inner = createMemorySessionStore();
    const stores = { sessions: inner, files: createMemoryFileStore() };
    const never = new Promise<never>(() => {});
    let runs = 0;
    const first = await open({ spec: CODE("b").replace("type: code, ", "").replace("script: scripts/pay.js, ", "instructions: x, "), stores, tools: toolsFromMap({ b: tool(() => never, { idempotent: true }) }), answer: () => calls(["b"]) });
    await first.agent.accept("s1", { kind: "turn", message: "x" }, { key: "k" });
    const attempts: unknown[] = [];
    for (let i = 0; i < 9; i += 1) {
      let dead = false;
      const reached = gate();
      const sessions = wrapStore(inner, (op, run) => (dead ? never : run()));
      const bench = await open({ spec: CODE("b").replace("type: code, ", "").replace("script: scripts/pay.js, ", "instructions: x, "), stores: { sessions, files: stores.files }, host: { clock: first.clock },
        tools: toolsFromMap({ b: tool(() => { runs += 1; reached.open(); return never; }, { idempotent: true }) }), answer: () => calls(["b"]) });
      const work = bench.agent.work("s1").then((r) => { reached.open(); return r; });
      await reached.opened;
      dead = true;
      attempts.push((await inner.read("s1"))!.record.active?.attempts ?? "settled");
      first.clock.advance(60 * 60_000);
    }
    log("b runs", runs, attempts);
  });

  it("c another workflow", async () => {
    const files = { "workflows/other/workflow.yaml": "states: { work: { triggers: { manual: }, instructions: x }, send: { instructions: y, tools: { allow: [boom] } } }" };
    const bench = await open({ spec: REVIEWED, files, answer: (r: any, n: number) => (n === 1 ? toReview : { text: "hm" }) });
    await bench.agent.workflow.send("s1", { message: "x" });
    const { createAgent } = await import("../../lib/agent.js");
    const other = await createAgent({ workflow: "other", workspace: { rootDir: bench.rootDir }, stores: bench.stores, onEvent: () => {}, host: { clock: bench.clock }, env: {} });
    log("c", await other.workflow.decide("s1", { target: "send" }).then((o) => [o.status, o.state], String));
    await other.close();
  });

  it("d corrupt is never given up", async () => {
    const inner = createMemorySessionStore();
    let corrupt = false;
    const sessions = wrapStore(inner, async (op, run) => {
      const got: any = await run();
      if (op.name === "claim" && corrupt && got.kind === "claimed") got.thread = got.thread.map((i: any) => ({ ...i, value: i.value.replace('"f":1', '"f":9') }));
      return got;
    });
    const bench = await open({ spec: ANSWERS, stores: { sessions, files: createMemoryFileStore() }, answer: always("Yes.") });
    await bench.agent.workflow.send("s1", { message: "x" });
    corrupt = true;
    const r = await bench.agent.accept("s1", { kind: "turn", message: "y" }, { key: "k", source: "webhook" });
    for (let i = 0; i < 10; i += 1) { await bench.agent.work("s1").catch(() => {}); bench.clock.advance(60 * 60_000); }
    log("d", (await bench.agent.receipt(r.arrivalId))?.status, (await inner.deadLetters(bench.clock.now())).length, (await inner.read("s1"))!.record.active?.attempts);
  });

  it("e delete of an id folders cannot spell", async () => {
    const folder = temporaryFolder();
    const stores = { sessions: createSqliteSessionStore({ file: `${folder.dir}/a.db` }), files: createFilesystemFileStore({ dir: folder.dir }) };
    for (const id of ["x".repeat(300), "a//b", "a/"]) {
      const bench = await open({ spec: ANSWERS, stores, answer: always("Yes.") });
      await bench.agent.workflow.send(id, { message: "x" }).catch((e) => log("e send", String(e)));
      log("e", id.slice(0, 5), await bench.agent.sessions.delete(id).then(String, String), await bench.agent.workflow.send(id, { message: "x" }).then((o) => o.status, String));
    }
    for (const id of ["s\ud800", "s\ufffd"]) {
      const bench = await open({ spec: ANSWERS, stores, answer: always("Yes.") });
      log("e surrogate", await bench.agent.workflow.send(id, { message: "x" }).then((o) => o.messages.length, String));
    }
    await stores.sessions.close();
    folder.remove();
  });

  it("f close during a code state", async () => {
    const reached = gate();
    const bench = await open({ spec: CODE("a"), files: { "workflows/case/scripts/pay.js": "export default async ({ tools }) => { await tools.a({}); };" }, sandboxRuntime: undefined,
      tools: toolsFromMap({ a: tool(async (_i, { signal }) => { reached.open(); await new Promise((r) => signal.addEventListener("abort", r)); return "x"; }) }), replies: [{ text: "sorry" }] });
    const turn = bench.agent.workflow.send("s1", { message: "go" }).then((o) => [o.status, o.state], String);
    await reached.opened;
    await bench.agent.close();
    log("f", await within(1500, turn), (await bench.stores.sessions.read("s1"))!.record.status, ofType(bench.events, "code-result"));
  });

  it("g a big input and bytes per step", async () => {
    const bytes: number[] = [];
    const inner = createMemorySessionStore();
    const sessions = wrapStore(inner, async (op, run) => { const got = await run(); const { record } = (await inner.read("s1"))!; bytes.push(JSON.stringify(record).length); return got; });
    const bench = await open({ spec: ANSWERS, stores: { sessions, files: createMemoryFileStore() }, replies: [calls(["archmax_get_variables", { name: "title" }]), { text: "Yes." }] });
    await bench.agent.workflow.send("s1", { message: "x", variables: { doc: "d".repeat(5_000_000) } });
    log("g record sizes", bytes);
  });

  it("h seeds that are no JSON", async () => {
    for (const value of [new Date(0), () => 1, Number.NaN, undefined, new Map()]) {
      const bench = await open({ spec: ANSWERS, answer: always("Yes.") });
      log("h", String(value), await within(800, bench.agent.workflow.send("s1", { message: "x", variables: { v: value } }).then((o) => [o.status, o.variables.v], String)));
      const b2 = await open({ spec: ANSWERS, answer: always("Yes."), variables: { v: value } }).catch((e) => log("h create", String(e)));
      if (b2) log("h assembly", await within(800, b2.agent.workflow.send("s1", { message: "x" }).then((o) => [o.status, o.variables.v], String)));
    }
  });

  it("i script that is a folder, missing default, timeouts with open call", async () => {
    const bench = await open({ spec: CODE("a"), files: { "workflows/case/scripts/pay.js/x": "" }, tools: toolsFromMap({ a: tool(() => "") }), replies: [{ text: "sorry" }] });
    log("i", await within(2000, bench.agent.workflow.send("s1", { message: "go" }).then((o) => [o.status, o.state, o.auditTrail.at(-1)?.reason], String)));
  });

  it("j static prompt in a resumed turn after an edit", async () => {
    const { writeFileSync } = await import("node:fs");
    const spec = "instructions: OLDTEXT.\nstates: { answer: { triggers: { manual: }, instructions: Do. } }\n";
    const bench = await open({ spec, answer: (_r: any, n: number) => (n === 1 ? calls(["archmax_get_variables"]) : { text: "Yes." }) });
    const r = await bench.agent.accept("s1", { kind: "turn", message: "y" }, { key: "k" });
    log("j", (await bench.agent.work("s1", { drainAt: 1 })).left, bench.requests.length);
    log("j", (await bench.agent.work("s1", { drainAt: 1 })).left, bench.requests.length);
    writeFileSync(`${bench.rootDir}/workflows/case/workflow.yaml`, spec.replace("OLDTEXT", "NEWTEXT"));
    for (let i = 0; i < 5; i += 1) await bench.agent.work("s1", { drainAt: 1 });
    log("j", bench.requests.map((q) => /OLDTEXT|NEWTEXT/.exec(system(q))?.[0]), (await bench.agent.receipt(r.arrivalId))?.status);
  });
});
