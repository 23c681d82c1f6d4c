import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { apiPage, publicApi } from "./api.js";
import { commandLinePage, workflowFilePage } from "./reference.js";

const SCHEMA = JSON.parse(readFileSync(new URL("../../docs/workflow.schema.json", import.meta.url), "utf8"));

describe("the reference", () => {
  it("has a sentence for every public name", () => {
    const untold = publicApi().flatMap(({ entry, names }) =>
      names.filter(({ summary }) => summary.length <= 10).map(({ name }) => `${entry}: ${name}`),
    );

    expect(untold).toEqual([]);
  });

  it("has every public name with what its docstring says first", async () => {
    await expect(apiPage()).toMatchFileSnapshot("../../docs/reference/api.md");
  });

  it("has the commands as the command itself knows them", async () => {
    await expect(commandLinePage()).toMatchFileSnapshot("../../docs/reference/command-line.md");
  });

  it("has the keys of workflow.yaml as editors know them", async () => {
    await expect(workflowFilePage(SCHEMA)).toMatchFileSnapshot("../../docs/reference/workflow-file.md");
  });
});
