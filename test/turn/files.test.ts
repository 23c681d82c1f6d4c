import { afterEach, describe, expect, it } from "vitest";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { aBench, type Bench } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import { calls } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview, WAITS, waitForReply } from "./workflows.js";

let bench: Bench;
afterEach(() => bench.close());

const bytesOf = async (path: string, sessionId = "s1") => (await bench.stores.files.read(sessionId, path))?.bytes;

describe("files sent with a turn", () => {
  it("R-19 H-72 places the exact bytes and seeds the locked path, which the agent can read", async () => {
    bench = await aBench({
      spec: ANSWERS,
      replies: [calls(["read_file", { file_path: "/scratchpad/attachments/note.txt" }]), { text: "Read." }],
    });
    const image = Uint8Array.from({ length: 256 }, (_, index) => index);

    const outcome = await bench.agent.workflow.send("s1", {
      message: "Go",
      files: { scan: { name: "scan.bin", content: image }, note: { name: "note.txt", content: "Grüße\r\n" } },
    });

    expect(outcome.variables).toMatchObject({
      scan: { value: "scratchpad/attachments/scan.bin", locked: true },
      note: { value: "scratchpad/attachments/note.txt", locked: true },
    });
    expect(await bytesOf("scratchpad/attachments/scan.bin")).toEqual(image);
    expect(await bytesOf("scratchpad/attachments/note.txt")).toEqual(new TextEncoder().encode("Grüße\r\n"));
    expect(outcome.messages.find(({ role }) => role === "tool")?.content).toContain("Grüße");
  });

  it("R-19 H-73 numbers taken names before the last extension, in key order within one call", async () => {
    bench = await aBench({ spec: ANSWERS, answer: always("Yes.") });
    const { send } = bench.agent.workflow;
    const twice = (content: string) => ({
      b: { name: "a.tar.gz", content: `${content}b` },
      a: { name: "a.tar.gz", content: `${content}a` },
      c: { name: "plain", content },
    });

    await send("s1", { message: "Go", files: twice("1") });
    const { variables } = await send("s1", { message: "More", files: twice("2") });

    expect(Object.fromEntries(["a", "b", "c"].map((name) => [name, variables[name]?.value]))).toEqual({
      a: "scratchpad/attachments/a.tar-2.gz",
      b: "scratchpad/attachments/a.tar-3.gz",
      c: "scratchpad/attachments/plain-1",
    });
    expect(await bytesOf("scratchpad/attachments/a.tar.gz")).toEqual(new TextEncoder().encode("1a"));
    expect(await bytesOf("scratchpad/attachments/a.tar-3.gz")).toEqual(new TextEncoder().encode("2b"));
  });

  it.each<[string, Record<string, { name: string; content: string }>, Record<string, unknown>]>([
    ["a malformed variable", { "A-1": { name: "a.txt", content: "a" } }, {}],
    ["the runtime's variable", { trigger: { name: "a.txt", content: "a" } }, {}],
    ["an empty name", { scan: { name: "", content: "a" } }, {}],
    ["a dotted name", { scan: { name: "..", content: "a" } }, {}],
    ["a slash", { scan: { name: "a/b.txt", content: "a" } }, {}],
    ["a backslash", { scan: { name: "a\\b.txt", content: "a" } }, {}],
    ["a control character", { scan: { name: "a\n.txt", content: "a" } }, {}],
    ["256 bytes of name", { scan: { name: `${"ä".repeat(126)}.txt`, content: "a" } }, {}],
    ["a variable given twice", { scan: { name: "a.txt", content: "a" } }, { scan: "x" }],
  ])("R-20 H-74 refuses all files for %s, before anything is written", async (_what, files, variables) => {
    const written: string[] = [];
    const store = wrapStore(createMemoryFileStore(), (op, run) => {
      if (op.name.startsWith("write")) written.push(String(op.args[0]));
      return run();
    });
    bench = await aBench({
      spec: ANSWERS,
      replies: [],
      stores: { sessions: createMemorySessionStore(), files: store },
    });
    const good = { fine: { name: "fine.txt", content: "fine" } };

    await expect(
      bench.agent.workflow.send("s1", { message: "Go", variables, files: { ...good, ...files } }),
    ).rejects.toMatchObject({
      name: "InvalidTurnFileError",
      variable: Object.keys(files)[0],
    });

    expect(written).toEqual([]);
    expect(await bench.stores.sessions.read("s1")).toBeNull();
  });

  it("R-20 H-74 refuses files at a human park and leaves it as it was", async () => {
    bench = await aBench({ spec: REVIEWED, replies: [toReview, { text: "Please." }] });
    const { send } = bench.agent.workflow;
    const { pending } = await send("s1", { message: "Go" });

    await expect(
      send("s1", { message: "Here", files: { scan: { name: "a.txt", content: "a" } } }),
    ).rejects.toMatchObject({ name: "InvalidTurnFileError", variable: "scan" });

    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision", pending });
    expect(await bench.stores.files.list("s1")).toEqual([]);
  });

  it("R-21 places and seeds them with a delivery", async () => {
    bench = await aBench({ spec: WAITS, replies: [waitForReply, { text: "Thanks." }] });
    const { send } = bench.agent.workflow;
    await send("s1", { message: "Go" });

    const outcome = await send("s1", { message: "Here", files: { scan: { name: "a.txt", content: "a" } } });

    expect(outcome).toMatchObject({
      disposition: "deliver",
      variables: { scan: { value: "scratchpad/attachments/a.txt", locked: true } },
    });
    expect(await bytesOf("scratchpad/attachments/a.txt")).toEqual(new TextEncoder().encode("a"));
  });
});

describe("F-14 two sessions at once", () => {
  it("F-14 R-228 never see each other's ids, variables, events or files, inside host tools too", async () => {
    const seen: unknown[] = [];
    const both: (() => void)[] = [];
    const tools = toolsFromMap({
      meet: {
        description: "Waits for the other session.",
        inputSchema: { type: "object", properties: { name: { type: "string" } } },
        handler: async ({ name }, context) => {
          await new Promise<void>((resolve) => {
            both.push(resolve);
            if (both.length === 2) for (const go of both) go();
          });
          const [file] = await context.workspace.downloadFiles(["/scratchpad/name.txt"]);
          seen.push([context.sessionId, name, new TextDecoder().decode(file?.content ?? undefined)]);
          return "met";
        },
      },
    });
    bench = await aBench({
      spec: ANSWERS.replace("instructions: Answer.", "instructions: Answer.\n    tools: { allow: [meet, write_file] }"),
      tools,
      answer: ({ body }) => {
        const name = body.messages.find(({ role }) => role === "user")?.content as string;
        const turns = body.messages.filter(({ role }) => role === "assistant").length;
        if (turns === 0)
          return calls(
            ["write_file", { file_path: "/scratchpad/name.txt", content: name }],
            ["archmax_set_variables", { variables: { name } }],
          );
        return turns === 1 ? calls(["meet", { name: "${{name}}" }]) : { text: `Bye, ${name}.` };
      },
    });

    const [a, b] = await Promise.all(["a", "b"].map((id) => bench.agent.workflow.send(id, { message: `I am ${id}` })));

    expect(seen).toHaveLength(2);
    expect(seen).toEqual(
      expect.arrayContaining([
        ["a", "I am a", "I am a"],
        ["b", "I am b", "I am b"],
      ]),
    );
    expect(a).toMatchObject({ reply: "Bye, I am a.", variables: { name: { value: "I am a" } } });
    expect(b).toMatchObject({ reply: "Bye, I am b.", variables: { name: { value: "I am b" } } });
    for (const event of bench.events)
      if (event.type === "agent-text") expect(event.text).toBe(`Bye, I am ${event.sessionId}.`);
    expect(await bench.stores.files.list("a")).toHaveLength(1);
  });
});
