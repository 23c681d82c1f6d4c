/** Workspaces without an agent. */
import { expect, it } from "vitest";
import { createWorkspaceContext } from "../../lib/agent/workspace-context.js";
import { createMemorySessionStore } from "../../lib/stores/bundles/index.js";
import { createMemoryBackend } from "../../lib/workspace/index.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";

it("H-130 composes area, mounts and authored files as an agent has them", async () => {
  const sessionStore = createMemorySessionStore();
  const authoring = createMemoryBackend({ "/workflows/desk/workflow.yaml": "states: {}" });
  const mounts = { "/handbook/": createMemoryBackend({ "/tea.md": "Boil." }) };

  const context = await createWorkspaceContext({ authoring, workspace: { mounts, sessionStore } });
  const [one, two] = [context.workspaceOf("s1"), context.workspaceOf("s2")];
  await one.write("/scratchpad/a.txt", "mine");

  expect(context.rootDir).toBeNull();
  expect(await context.authoring.listWorkflows()).toEqual(["desk"]);
  expect((await one.read("/handbook/tea.md")).content).toBe("Boil.");
  expect((await one.write("/handbook/tea.md", "x")).error).toMatch(/^permission_denied/);
  expect((await two.read("/scratchpad/a.txt")).error).toMatch(/^file_not_found/);
  expect((await sessionStore.backend.readRaw("/s1/scratchpad/a.txt")).data?.content).toBe("mine");
  expect(() => context.workspaceOf("handbook/x")).toThrow(/session/);
});

it("H-130 H-28 has an agent's defaults and refusals", async () => {
  const folder = temporaryFolder();
  writeTree(folder.dir, { "AGENTS.md": "Be brief.", "workflows/desk/workflow.yaml": "states: {}" });

  const { workspaceOf, authoring } = await createWorkspaceContext({ workspace: { rootDir: folder.dir } });

  expect((await workspaceOf("s1").read("/AGENTS.md")).content).toBe("Be brief.");
  expect(await authoring.readSpec("desk")).toBe("states: {}");
  await expect(createWorkspaceContext({ backend: createMemoryBackend() })).rejects.toMatchObject({
    name: "SessionStoreRequiredError",
  });
  folder.remove();
});
