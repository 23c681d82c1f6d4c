import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { validateWorkflow } from "./index.js";

const fixtures = fileURLToPath(new URL("../../../test/fixtures/", import.meta.url));

describe("the bundled examples", () => {
  it.each([
    ["hello-park", "hello-park"],
    ["hello-park", "hello-wait"],
    ["refund-desk", "refund-desk"],
    ["invoice-chaser", "invoice-chaser"],
    ["invoice-chaser", "draft-reminder"],
  ])("W-286 H-100 finds nothing in %s/%s under the default mounts", async (workspace, workflow) => {
    const result = await validateWorkflow({ rootDir: `${fixtures}examples/${workspace}`, workflow });
    expect(result).toEqual({ workflow, valid: true, diagnostics: [] });
  });

  it("W-218 knows the host tools the examples name", async () => {
    const tools = ["lookup_order", "issue_refund", "send_email", "open_task"];
    const rootDir = `${fixtures}examples/refund-desk`;
    expect((await validateWorkflow({ rootDir, workflow: "refund-desk", tools })).diagnostics).toEqual([]);
    const fewer = await validateWorkflow({ rootDir, workflow: "refund-desk", tools: tools.slice(1) });
    expect(fewer.diagnostics.map(({ code, field }) => `${code} ${field}`)).toEqual([
      "tools/unknown-host-tool states.assess.tools.allow.0",
      "tools/unknown-host-tool states.check-policy.tools.allow.0",
    ]);
  });
});

describe("a document with ten mistakes", () => {
  it("W-2 W-21 gives ten findings, each with its code and line", async () => {
    const { valid, diagnostics } = await validateWorkflow({ rootDir: `${fixtures}ten-mistakes`, workflow: "ten" });
    expect(valid).toBe(false);
    expect(diagnostics.map(({ line, code }) => `${line} ${code}`)).toEqual([
      "29 transition/undefined-target",
      "44 transition/duplicate-target",
      "11 trigger/host-key",
      "34 guard/unguaranteed-reference",
      "4 skills/unknown",
      "8 path/mentions-authoring-plane",
      "15 tools/ungrantable",
      "6 code/foreign-import",
      "38 human/no-instructions",
      "41 path/authoring-plane",
    ]);
    for (const { message, file } of diagnostics) {
      expect(message.length).toBeGreaterThan(20);
      expect(file).toMatch(/^workflows\/ten\//);
    }
  });
});
