/** What a session costs in the store, and what never gets there (chapter F, stores; one lock for every entrance). */
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Commit } from "../../lib/session/ports.js";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { temporaryFolder } from "../harness/temporary.js";
import { countingStore, wrapStore } from "../harness/wrap-store.js";
import { benches, calls, says } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview } from "./workflows.js";

const open = benches();

describe("one lock", () => {
  it("F-2 F-1 is taken by every entrance: while another owner has it, none runs, moves or answers anything", async () => {
    const bench = await open({ spec: REVIEWED, replies: [toReview, says("Please."), says("Soon."), says("Sent.")] });
    const { sessions } = bench.stores;
    await bench.agent.workflow.send("s1", { message: "Go" });
    await bench.agent.accept("s1", { kind: "turn", message: "How long?" });
    const claim = await sessions.claim("s1", { owner: "other", now: bench.clock.now(), leaseMs: 60_000 });
    if (claim.kind !== "claimed") throw new Error("The lease is free.");
    const { thread } = (await sessions.read("s1"))!;

    const { send, reply, decide, deliver } = bench.agent.workflow;
    const entrances = [
      decide("s1", { target: "send" }),
      reply("s1", "And now?"),
      send("s1", { message: "Hello?" }),
      deliver("s1", { trigger: { id: "mail" } }),
    ];
    const ended: unknown[] = [];
    for (const entrance of entrances)
      void entrance.then(
        (end) => ended.push(end),
        (error) => ended.push(error),
      );
    await expect.poll(async () => (await sessions.read("s1"))?.queued).toBe(4);
    for (let n = 0; n < 10; n += 1) {
      bench.clock.advance(1_000);
      expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
      expect(await bench.agent.work("s1")).toMatchObject({ left: "busy", settled: [] });
    }

    expect(ended).toEqual([]);
    expect(bench.requests).toHaveLength(2);
    expect((await sessions.read("s1"))?.thread).toEqual(thread);
    await sessions.cancel("s1", bench.clock.now(), { arrivalId: claim.work.arrival.id });
    await sessions.release(claim.lease, { now: bench.clock.now() });
    const ticking = setInterval(() => bench.clock.advance(100), 5);
    await Promise.allSettled(entrances);
    clearInterval(ticking);
    expect(ended).toHaveLength(4);
  });
});

describe("the store", () => {
  it("F-44 has the bytes of files neither in checkpoints nor in events, only their paths", async () => {
    const bench = await open({
      spec: `
states:
  work:
    triggers: { manual: { requires: [{ name: scan, type: file }] } }
    instructions: Work.
    tools: { allow: [write_file, edit_file] }
`,
      answer: (_request, ordinal) =>
        ordinal === 1
          ? calls(["copy_file", { source: "scratchpad/attachments/a.bin", destination: "scratchpad/b.bin" }])
          : says("Yes."),
    });
    const marker = "bytes-of-the-file";
    const outcome = await bench.agent.workflow.send("s1", {
      message: "Go",
      files: { scan: { name: "a.bin", content: new TextEncoder().encode(marker.repeat(100)) } },
    });

    expect(outcome.variables.scan).toMatchObject({ value: "scratchpad/attachments/a.bin" });
    const stored = JSON.stringify(await bench.stores.sessions.read("s1"));
    for (const text of [stored, JSON.stringify(bench.events)]) {
      expect(text).not.toContain(marker);
      expect(text).not.toContain(Buffer.from(marker).toString("base64").slice(0, 20));
      expect(text).toContain("scratchpad/attachments/a.bin");
    }
  });

  it("F-45 F-46 S-77 holds 200 turns of ordinary length within twice their transcript, and only the latest checkpoint", {
    timeout: 120_000,
  }, async () => {
    const INSTRUCTIONS = "The instructions of the state.";
    const sentences = (count: number) => "A sentence as people write them in a mail. ".repeat(count);
    const { store: sessions, ops } = countingStore(createMemorySessionStore());
    const bench = await open({
      stores: { sessions, files: createMemoryFileStore() },
      spec: ANSWERS.replace("Answer.", `${INSTRUCTIONS}\n    tools: { allow: [note] }`),
      tools: toolsFromMap({
        note: { description: "Notes.", inputSchema: { type: "object" }, handler: () => sentences(20) },
      }),
      answer: ({ body }, ordinal) =>
        body.messages.at(-1)?.role === "user" && ordinal % 5 === 0 ? calls(["note", { n: 1 }]) : says(sentences(12)),
    });
    const { send } = bench.agent.workflow;
    const written: number[] = [];
    for (let turn = 0; turn < 200; turn += 1) {
      ops.length = 0;
      bench.clock.advance(10 * 60_000);
      await send("s1", { message: sentences(8) });
      written.push(ops.reduce((sum, { bytes }) => sum + bytes, 0));
    }

    const { thread } = (await sessions.read("s1"))!;
    const { messages } = await send("s1", { message: "The last." });
    const stored = thread.reduce((sum, { key, value }) => sum + key.length + value.length, 0);
    const transcript = JSON.stringify(messages.slice(0, -2)).length;
    expect(stored).toBeLessThan(2 * transcript);
    expect(thread.filter(({ key }) => key.startsWith("C"))).toHaveLength(1);
    expect(JSON.stringify(thread)).not.toContain(INSTRUCTIONS);
    expect(Math.max(...written.slice(-20))).toBeLessThan(1.2 * Math.max(...written.slice(0, 20)));
  });

  it("S-77 F-45 has no copy of the session beside its history, however many steps it takes", async () => {
    // LangGraph makes one of its own accord after 5,000 steps.
    vi.stubEnv("LANGGRAPH_DELTA_MAX_SUPERSTEPS_SINCE_SNAPSHOT", "2");
    onTestFinished(() => void vi.unstubAllEnvs());
    const bench = await open({ spec: ANSWERS, answer: always("Yes.") });
    for (const message of ["The first.", "The second.", "The third."])
      await bench.agent.workflow.send("s1", { message });

    const { thread } = (await bench.stores.sessions.read("s1"))!;
    const { messages } = await (await bench.again()).workflow.send("s1", { message: "The last." });
    expect(thread.filter(({ value }) => value.includes("The first.")).map(({ key }) => key[0])).toEqual(["W"]);
    expect(messages).toHaveLength(8);
  });

  it("S-32 S-77 H-116 has what a call used in its step once, and the total in the record when the leg ends", async () => {
    const commits: Commit[] = [];
    const sessions = wrapStore(createMemorySessionStore(), ({ name, args }, run) => {
      if (name === "commit") commits.push(args[1] as Commit);
      return run();
    });
    const usage = { prompt_tokens: 10, completion_tokens: 2 };
    const bench = await open({
      stores: { sessions, files: createMemoryFileStore() },
      spec: ANSWERS.replace("instructions: Answer.", "instructions: Answer.\n    tools: { allow: [note] }"),
      tools: toolsFromMap({ note: { description: "Notes.", inputSchema: { type: "object" }, handler: () => "ok" } }),
      replies: [
        { ...calls(["note", { n: 1 }]), usage },
        { ...says("Yes."), usage },
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    const told = commits.filter(({ puts }) => puts.some(({ value }) => value.includes('"inputTokens":10')));
    expect(told).toHaveLength(1);
    expect(commits.some(({ record }) => record?.usage)).toBe(false);
    expect(outcome.usage).toMatchObject({ inputTokens: 20, outputTokens: 4 });
    expect((await sessions.read("s1"))?.record.usage).toEqual(outcome.usage);
  });

  it("F-43 keeps a transcript of 5 MB and a result of 3 MB in the embedded store, for the next process too", async () => {
    const folder = temporaryFolder();
    const stores = {
      sessions: createSqliteSessionStore({ file: join(folder.dir, "parkway.db") }),
      files: createFilesystemFileStore({ dir: folder.dir }),
    };
    const text = (letter: string) => letter.repeat(1_000_000);
    const bench = await open({
      spec: ANSWERS.replace("instructions: Answer.", "instructions: Answer.\n    tools: { allow: [big] }"),
      stores,
      tools: toolsFromMap({
        big: { description: "Big.", inputSchema: { type: "object" }, handler: () => text("ü").repeat(3) },
      }),
      answer: ({ body }) => (body.messages.at(-1)?.content === "The big one." ? calls(["big"]) : says("Yes.")),
    });
    for (const letter of "abcde") await bench.agent.workflow.send("s1", { message: text(letter) });
    const outcome = await (await bench.again()).workflow.send("s1", { message: "The big one." });

    expect(outcome.messages.slice(0, 10).map(({ content }) => content)).toEqual(
      [..."abcde"].flatMap((letter) => [text(letter), "Yes."]),
    );
    const kept = (await stores.files.list("s1")).find(({ path }) => path.startsWith("large_tool_results/"));
    expect(kept?.sizeBytes).toBe(6_000_000);
    await stores.sessions.close();
    folder.remove();
  }, 20_000);

  it("F-56 reads a session exactly as its turn has left it, right after it", async () => {
    const bench = await open({ spec: ANSWERS, answer: always("Yes.") });
    for (let turn = 1; turn <= 5; turn += 1) {
      await bench.agent.workflow.send("s1", { message: "Go" });
      expect(await (await bench.again()).sessions.messageCount("s1")).toBe(2 * turn);
    }
  });
});
