import { afterEach, describe, expect, it } from "vitest";
import { createAgent, type GovernedAgent, type GovernedAgentParams } from "../../lib/agent.js";
import { createInProcessModel, type InProcessAnswer } from "../../lib/models/in-process.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { createMemoryBackend, mountSubtree } from "../../lib/workspace/index.js";
import { sharedSandbox } from "../harness/agent.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import { ANSWERS } from "./workflows.js";

const SPEC = "workflows/case/workflow.yaml";
const authored = (more: Record<string, string> = {}) =>
  createMemoryBackend(
    Object.fromEntries(Object.entries({ [SPEC]: ANSWERS, ...more }).map(([path, text]) => [`/${path}`, text])),
  );
const stores = () => ({ sessions: createMemorySessionStore(), files: createMemoryFileStore() });

const answering = (...answers: InProcessAnswer[]) =>
  createInProcessModel({ model: "in-process", generate: () => answers.shift() ?? {} });

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const agent of opened.splice(0).reverse()) await agent.close();
});

async function assemble(params: Partial<GovernedAgentParams>): Promise<GovernedAgent> {
  const agent = await createAgent({
    workflow: "case",
    model: await answering({ content: "done" }),
    env: {},
    onEvent: () => {},
    sandboxRuntime: sharedSandbox(),
    ...params,
  });
  opened.push(agent);
  return agent;
}

/** A folder with a workflow. */
function folder(files: Record<string, string> = {}): string {
  const { dir, remove } = temporaryFolder();
  writeTree(dir, { [SPEC]: ANSWERS, ...files });
  opened.push({ close: remove });
  return dir;
}

describe("where an agent reads from", () => {
  it("H-30 H-28 H-31 is all given by the host, and then no folder is read", async () => {
    const agent = await assemble({ backend: authored({ "AGENTS.md": "I am Ada." }), stores: stores() });

    expect(agent.workflow.machine.states.has("answer")).toBe(true);
    expect(await agent.workflow.send("s1", { message: "go" })).toMatchObject({ kind: "completed", reply: "done" });
  });

  it("H-31 workflows come from `authoring`, else `backend`, else the root", async () => {
    const other = (state: string) => authored({ [SPEC]: ANSWERS.replace("answer", state) });
    const stateOf = async (params: Partial<GovernedAgentParams>) => [
      ...(await assemble({ ...params, stores: stores() })).workflow.machine.states.keys(),
    ];
    const workspace = { rootDir: folder() };

    expect(await stateOf({ authoring: other("a"), backend: other("b"), workspace })).toEqual(["a"]);
    expect(await stateOf({ backend: other("b"), workspace })).toEqual(["b"]);
    expect(await stateOf({ workspace })).toEqual(["answer"]);
  });

  it.each<[option: string, params: () => Partial<GovernedAgentParams>]>([
    ["mounts", () => ({ stores: stores() })],
    ["mounts", () => ({ authoring: authored(), stores: stores() })],
    ["sessionStore", () => ({ workspace: { mounts: {} } })],
    ["sessionStore", () => ({ workspace: { mounts: {} }, authoring: authored() })],
    ["authoring", () => ({ workspace: { mounts: {} }, stores: stores() })],
  ])("H-28 a default that needs a root is missing: %s", async (option, params) => {
    await expect(assemble(params())).rejects.toMatchObject({ name: "WorkspaceRootRequiredError", option });
  });

  it("H-28 H-95 a root that is given serves what the others leave to it", async () => {
    const rootDir = folder({ "AGENTS.md": "I am Ada." });
    const agent = await assemble({ authoring: authored(), stores: stores(), workspace: { rootDir } });

    expect(agent.workflow.machine.states.has("answer")).toBe(true);
  });

  it("H-30 a backend asks for stores, and serves agents nothing by itself", async () => {
    const backend = authored({ "AGENTS.md": "I am Ada.", "skills/tone/SKILL.md": "---\ndescription: d\n---\n" });
    await expect(assemble({ backend })).rejects.toMatchObject({
      name: "SessionStoreRequiredError",
      message: expect.stringContaining("createMemorySessionStore"),
    });

    const model = await answering({ toolCalls: [{ name: "ls" }] }, { content: "done" });
    const agent = await assemble({ backend, stores: stores(), model });
    const { messages } = await agent.workflow.send("s1", { message: "go" });
    expect(messages.find(({ role }) => role === "tool")?.content).toBe("/ is empty.");
  });

  it.each<[what: string, params: () => Partial<GovernedAgentParams>]>([
    [
      "itself",
      () => {
        const backend = authored();
        return { backend, workspace: { mounts: { "/all/": { backend, readOnly: false } } } };
      },
    ],
    [
      "a folder of it that holds workflows",
      () => {
        const backend = authored();
        const inner = mountSubtree(mountSubtree(backend, "workflows"), "case");
        return { authoring: backend, workspace: { mounts: { "/all/": { backend: inner, readOnly: false } } } };
      },
    ],
    [
      "what it is a folder of",
      () => {
        const backend = createMemoryBackend({ [`/ws/${SPEC}`]: ANSWERS });
        return {
          authoring: mountSubtree(backend, "ws"),
          workspace: { mounts: { "/all/": { backend, readOnly: false } } },
        };
      },
    ],
  ])("H-31 refuses a writable mount of the authoring backend: %s", async (_what, params) => {
    await expect(assemble({ stores: stores(), ...params() })).rejects.toMatchObject({
      name: "AuthoringBackendExposedError",
      key: "/all/",
    });
  });

  it("H-31 takes a mount of it that only reads, and a writable one of another folder", async () => {
    const backend = authored();
    await assemble({ backend, stores: stores(), workspace: { mounts: { "/all/": backend } } });
    const drop = { backend: mountSubtree(backend, "drop"), readOnly: false };

    await expect(
      assemble({ backend, stores: stores(), workspace: { mounts: { "/drop/": drop } } }),
    ).resolves.toBeTruthy();
  });

  it.each(["/workflows/", "/scratchpad/x", "/_specs/", "/artifacts/"])(
    "H-97 W-238 refuses the mount %s before a workflow is read",
    async (key) => {
      const params = { workflow: "none", workspace: { rootDir: folder(), mounts: { [key]: createMemoryBackend() } } };

      await expect(assemble(params)).rejects.toMatchObject({ name: "MountCollisionError", key });
    },
  );

  it("H-10 refuses the first of several in the order of the options", async () => {
    const backend = authored();
    const all = {
      backend,
      workflow: "none",
      workspace: { mounts: { "/workflows/": { backend, readOnly: false }, "/all/": { backend, readOnly: false } } },
    };
    const { "/workflows/": _, ...exposed } = all.workspace.mounts;
    const nameOf = (params: Partial<GovernedAgentParams>) =>
      assemble(params).then(String, (error: Error) => error.name);

    expect(await nameOf(all)).toBe("MountCollisionError");
    expect(await nameOf({ ...all, workspace: { mounts: exposed } })).toBe("SessionStoreRequiredError");
    expect(await nameOf({ ...all, workspace: { mounts: exposed }, stores: stores() })).toBe(
      "AuthoringBackendExposedError",
    );
    expect(await nameOf({ ...all, workspace: { mounts: {} }, stores: stores() })).toBe("WorkflowLoadError");
  });

  it("H-8 names an option of `workspace` that does not exist", async () => {
    await expect(assemble({ workspace: { mount: {} } as never })).rejects.toThrow(/workspace\.mount/);
  });
});
