import { describe, expect, it } from "vitest";
import { camelCaseName, scriptToolNames } from "./tool-names.js";

describe("camelCaseName", () => {
  it.each([
    ["read_file", "readFile"],
    ["archmax_workflow_enrich-order", "archmaxWorkflowEnrichOrder"],
    ["ls", "ls"],
    ["get__2fa", "get2fa"],
    ["crm.lookUp", "crmLookUp"],
    ["_hidden_", "hidden"],
  ])("R-148 turns %s into %s", (tool, name) => {
    expect(camelCaseName(tool)).toBe(name);
  });
});

describe("scriptToolNames", () => {
  it("R-148 offers each tool under its exact and its camelCase name", () => {
    expect(scriptToolNames(["ls", "read_file"])).toEqual([
      ["ls", "ls"],
      ["read_file", "read_file"],
      ["readFile", "read_file"],
    ]);
  });

  it("R-258 gives a camelCase name that two tools share to neither", () => {
    expect(scriptToolNames(["read_file", "read-file"]).map(([name]) => name)).toEqual(["read_file", "read-file"]);
  });

  it("R-258 lets an exact name win over another tool's camelCase name", () => {
    expect(scriptToolNames(["read_file", "readFile"])).toEqual([
      ["read_file", "read_file"],
      ["readFile", "readFile"],
    ]);
  });
});
