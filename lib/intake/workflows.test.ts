import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder, writeTree } from "../../test/harness/temporary.js";
import { createIntakeWorkflows } from "./workflows.js";

const folders: { remove(): void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

const text = (trigger: string) => `states: { work: { triggers: { ${trigger}: }, instructions: Work. } }\n`;

function aWorkspace(files: Record<string, string> = { "workflows/case/workflow.yaml": text("manual") }) {
  const folder = temporaryFolder();
  folders.push(folder);
  writeTree(folder.dir, files);
  return { rootDir: folder.dir, file: join(folder.dir, "workflows/case/workflow.yaml") };
}

describe("workflows at an entrance", () => {
  it("W-34 are compiled once, and anew after an edit", async () => {
    const { rootDir, file } = aWorkspace();
    const workflows = createIntakeWorkflows({ rootDir });
    const first = await workflows.find("case");

    expect(await workflows.find("case")).toBe(first);
    writeFileSync(file, text("ordered"));

    const edited = await workflows.find("case");
    expect([...(edited?.machine.triggers.keys() ?? [])]).toEqual(["ordered"]);
    expect(await workflows.slugs()).toEqual(["case"]);
  });

  it("go on as they were after an edit that cannot be loaded, with a warning", async () => {
    const { rootDir, file } = aWorkspace();
    const warnings: string[] = [];
    const workflows = createIntakeWorkflows({ rootDir, warn: (message) => warnings.push(message) });
    const first = await workflows.find("case");

    writeFileSync(file, "states: {}");

    expect(await workflows.find("case")).toBe(first);
    expect(warnings).toEqual([expect.stringMatching(/^The edit of "case" is not in force: /)]);
  });

  it("are read once in a deployment, whose files never change", async () => {
    const { rootDir, file } = aWorkspace();
    const workflows = createIntakeWorkflows({ rootDir, immutable: true });
    const first = await workflows.find("case");

    rmSync(file);

    expect(await workflows.find("case")).toBe(first);
  });

  it("are null for no workflow, and an error for one that cannot be loaded, also once it can again", async () => {
    const { rootDir, file } = aWorkspace({
      "workflows/case/workflow.yaml": "states: {}",
      "workflows/old/WORKFLOW.md": "---\nstates: {}\n---\n",
    });
    const workflows = createIntakeWorkflows({ rootDir });

    expect(await workflows.find("none")).toBeNull();
    expect(await workflows.find("../case")).toBeNull();
    await expect(workflows.find("old")).rejects.toMatchObject({ name: "WorkflowLoadError", workflow: "old" });
    await expect(workflows.find("case")).rejects.toMatchObject({ name: "WorkflowLoadError" });
    writeFileSync(file, text("manual"));
    expect(await workflows.find("case")).not.toBeNull();
  });

  it("R-29 H-32 take the default trigger where it is declared", async () => {
    const { rootDir } = aWorkspace({
      "workflows/case/workflow.yaml": text("manual"),
      "workflows/orders/workflow.yaml": text("ordered"),
    });
    const workflows = createIntakeWorkflows({ rootDir, defaultTrigger: "ordered" });

    const slugs = await workflows.slugs();
    const found = await Promise.all(slugs.map((slug) => workflows.find(slug)));

    expect(found.map((workflow) => workflow?.defaultTrigger)).toEqual(["manual", "ordered"]);
  });
});
