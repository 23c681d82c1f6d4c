/** What a host passes as `workspace.sessionStore`: each factory's, under an agent. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { embeddedStores } from "../../lib/agent/embedded.js";
import { createAgent, type GovernedAgent } from "../../lib/agent.js";
import {
  createAwsSessionStore,
  createBackendSessionStore,
  createFilesystemSessionStore,
  createMemorySessionStore,
  type SessionStore,
} from "../../lib/stores/bundles/index.js";
import { createFilesystemBackend, createMemoryBackend } from "../../lib/workspace/index.js";
import { type LocalS3, startS3 } from "../aws/s3.js";
import { sharedSandbox } from "../harness/agent.js";
import { withRequiredMethods } from "../harness/backends.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { temporaryFolder } from "../harness/temporary.js";
import { type ModelServer, startModelServer } from "../model-server/index.js";
import { ANSWERS } from "../turn/workflows.js";

const bytes = new Uint8Array([0, 255, 10]);
const text = (value: string) => new TextEncoder().encode(value);

let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer({
    handler: ({ body }) =>
      body.messages.at(-1)?.role === "tool"
        ? { text: "Written." }
        : { toolCalls: [{ name: "write_file", args: { file_path: "scratchpad/a.txt", content: "kept" } }] },
  });
});
afterAll(() => model.close());

async function anAgent(sessionStore: SessionStore): Promise<GovernedAgent> {
  return createAgent({
    workflow: "case",
    backend: createMemoryBackend({ "/workflows/case/workflow.yaml": ANSWERS }),
    workspace: { sessionStore },
    sandboxRuntime: sharedSandbox(),
    env: { ARCHMAX_API_BASE_URL: model.url, ARCHMAX_API_KEY: "k", ARCHMAX_MODEL: "m" },
    onEvent: () => {},
  });
}

/** A session's life in the store, over two agents. */
async function liveIn(open: () => SessionStore): Promise<void> {
  const store = open();
  const agent = await anAgent(store);
  await agent.workflow.send("run/1", { message: "Write it.", variables: { order: 1 } }, { idempotencyKey: "k" });
  await agent.workflow.send("run/2", { message: "Write it." });
  await agent.close();

  const again = await anAgent(open());
  const repeated = await again.workflow.send(
    "run/1",
    { message: "Write it.", variables: { order: 1 } },
    { idempotencyKey: "k" },
  );
  const { backend } = open();

  expect(repeated.reply).toBe("Written.");
  expect(await again.sessions.messageCount("run/1")).toBe(4);
  expect((await again.sessions.list()).map(({ sessionId }) => sessionId).sort()).toEqual(["run/1", "run/2"]);
  expect((await backend.readRaw("/run/1/scratchpad/a.txt")).data?.content).toBe("kept");
  const { specHash } = (await again.sessions.get("run/1"))!;
  expect((await backend.readRaw(`/_specs/${specHash}.json`)).data?.content).toContain("Answer.");
  expect(await again.getSpecSnapshot(specHash!)).toMatchObject({ states: { answer: {} } });

  expect(await again.sessions.delete("run/1")).toBe(true);
  expect(await again.sessions.get("run/1")).toBeNull();
  expect((await backend.ls("/run/1/scratchpad")).files).toEqual([]);
  expect((await backend.readRaw("/run/2/scratchpad/a.txt")).data?.content).toBe("kept");
  for (const id of ["", "run/..", "../sessions"]) {
    await expect(open().deleteSession(id)).rejects.toMatchObject({ code: "session-id" });
  }
  expect((await again.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(["run/2"]);
  expect(await open().deleteSession("run/2")).toBe(true);
  expect(await open().deleteSession("run/2")).toBe(false);
  expect(await again.sessions.list()).toEqual([]);
  await again.close();
}

describe("a session store", () => {
  it("H-88 H-89 H-78 is a folder: files at their addresses, everything else in its database", async () => {
    const folder = temporaryFolder();
    const dir = join(folder.dir, "sessions");

    const store = createFilesystemSessionStore({ dir });
    expect(store).toMatchObject({ kind: "filesystem", capabilities: { list: true, delete: true } });
    await liveIn(() => createFilesystemSessionStore({ dir }));

    expect(await readdir(join(dir, ".parkway"))).toEqual(expect.arrayContaining(["parkway.db"]));
    folder.remove();
  });

  it("H-88 is where sessions are by default: the folder `sessions` of the root", async () => {
    const folder = temporaryFolder();
    const agent = await anAgent(createFilesystemSessionStore({ dir: join(folder.dir, "sessions") }));
    await agent.workflow.send("s1", { message: "Write it." });

    const stores = await embeddedStores(folder.dir);

    expect((await stores.sessions.read("s1"))?.record.status).toBe("completed");
    expect(new TextDecoder().decode((await stores.files.read("s1", "scratchpad/a.txt"))?.bytes)).toBe("kept");
    await agent.close();
    await stores.sessions.close();
    folder.remove();
  });

  it("H-88 is memory, shared by the agents that it is given to, and two of them have nothing in common", async () => {
    const store = createMemorySessionStore();
    expect(store).toMatchObject({ kind: "memory", capabilities: { list: true, delete: true } });

    await liveIn(() => store);
    const agent = await anAgent(store);
    await agent.workflow.send("s1", { message: "Write it." });
    const other = await anAgent(createMemorySessionStore());

    expect(await other.sessions.list()).toEqual([]);
    expect(await agent.sessions.list()).toHaveLength(1);
    await Promise.all([agent.close(), other.close()]);
  });

  it("H-88 is any backend, under a prefix that nobody sees, and two stores over it are one", async () => {
    const folder = temporaryFolder();
    const backend = createFilesystemBackend(folder.dir);

    await liveIn(() => createBackendSessionStore({ backend, prefix: "/env/one/" }));

    expect(await readdir(folder.dir)).toEqual(["env"]);
    folder.remove();
  });

  it("H-88 S-1 is any backend for the next process, too: what was accepted there is worked on", async () => {
    const folder = temporaryFolder();
    const open = () => createBackendSessionStore({ backend: createFilesystemBackend(folder.dir) });
    const before = await anAgent(open());
    const { arrivalId } = await before.accept("s1", { kind: "turn", message: "Write it." }, { key: "k" });
    await before.close();

    const after = await anAgent(open());
    await after.work("s1");

    expect(await after.receipt(arrivalId)).toMatchObject({ status: "settled", outcome: { reply: "Written." } });
    expect((await after.accept("s1", { kind: "turn", message: "Write it." }, { key: "k" })).status).toBe("settled");
    await after.close();
    folder.remove();
  });

  it("H-78 H-88 R-301 deletes only where it can, and then through what the host gave or the backend has", async () => {
    const whole = createMemoryBackend();
    const minimal = createBackendSessionStore({ backend: withRequiredMethods(whole) });
    const removed: string[] = [];
    const helped = createBackendSessionStore({
      backend: withRequiredMethods(whole),
      prefix: "helped",
      deleteSession: async (id) => {
        removed.push(id);
      },
    });

    expect([minimal, helped].map(({ capabilities }) => capabilities)).toEqual([
      { list: true, delete: false },
      { list: true, delete: true },
    ]);
    const agent = await anAgent(minimal);
    await agent.workflow.send("s1", { message: "Write it." });
    const refusal = { name: "SessionStoreCapabilityError", storeKind: "backend", capability: "delete" };
    await expect(agent.sessions.delete("s1")).rejects.toMatchObject(refusal);
    await expect(minimal.deleteSession("s1")).rejects.toMatchObject(refusal);
    expect(await agent.sessions.get("s1")).not.toBeNull();
    await agent.close();

    const other = await anAgent(helped);
    await other.workflow.send("s2", { message: "Write it." });
    expect(await other.sessions.delete("s2")).toBe(true);
    expect(removed).toEqual(["s2"]);
    await other.close();
  });

  it("H-75 H-88 lists nothing where the store cannot list, and works all the same", async () => {
    const agent = await anAgent(createBackendSessionStore({ backend: createMemoryBackend(), list: false }));

    await agent.workflow.send("s1", { message: "Write it." });

    expect(await agent.sessions.list()).toEqual([]);
    expect(await agent.sessions.get("s1")).toMatchObject({ status: "completed" });
    await agent.close();
  });

  it("H-74 H-84 takes no bytes that a store of text cannot hold, before anything is written", async () => {
    const backend = createMemoryBackend();
    const agent = await anAgent(createBackendSessionStore({ backend: withRequiredMethods(backend) }));

    await expect(
      agent.workflow.send("s1", { message: "Look.", files: { scan: { name: "a.docx", content: bytes } } }),
    ).rejects.toMatchObject({ name: "InvalidTurnFileError", variable: "scan" });

    expect(await agent.sessions.get("s1")).toBeNull();
    expect((await backend.glob("**")).files).toEqual([]);
    const { variables } = await agent.workflow.send("s1", {
      message: "Look.",
      files: { scan: { name: "a.txt", content: text("text") } },
    });
    expect(variables.scan?.value).toBe("scratchpad/attachments/a.txt");
    await agent.close();
  });

  it("H-8 H-88 comes from a factory", async () => {
    const made = { kind: "mine", backend: createMemoryBackend(), capabilities: { list: true, delete: true } };

    await expect(anAgent(made as never)).rejects.toThrow(/createFilesystemSessionStore/);
    await expect(anAgent(null as never)).rejects.toBeInstanceOf(Error);
  });
});

describeDynamoDb("a session store in AWS", (db) => {
  let s3: LocalS3;
  beforeAll(async () => {
    s3 = await startS3();
    s3.createBucket("sessions");
  });
  afterAll(() => s3.stop());

  it("H-88 H-89 H-78 is a table and a bucket", async () => {
    const table = await db.table();
    const client = { dynamoDb: db.client(), s3: s3.client() };
    const open = () => createAwsSessionStore({ table, bucket: "sessions", prefix: "env/one", client });

    expect(open()).toMatchObject({ kind: "aws", capabilities: { list: true, delete: true } });
    await liveIn(open);

    await db.drop(table);
    client.dynamoDb.destroy();
  });
});
