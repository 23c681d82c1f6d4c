/** The skill that ships with the package: served as a skill, and its examples are true. */
import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { expect, it } from "vitest";
import { BUNDLED_AUTHORING_SKILL_DIR, toolsFromMap, validateWorkflow } from "../../lib/index.js";
import { readCaseDocument } from "../../lib/spec/cases/index.js";
import { createFilesystemBackend, listSkills } from "../../lib/workspace/index.js";
import { buildIfStale, ROOT } from "../api/built.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import { advance, benches, calls, says } from "../turn/support.js";

const open = benches();

const TEXT = readFileSync(join(BUNDLED_AUTHORING_SKILL_DIR, "parkway-authoring", "SKILL.md"), "utf8");

/** Code blocks that name a file, by that name. */
const EXAMPLES = Object.fromEntries(
  [...TEXT.matchAll(/^```\w+ (\S+\/\S+)\n([\s\S]*?)^```$/gm)].map(([, path, text]) => [path!, text!]),
);

it("H-7 BUNDLED_AUTHORING_SKILL_DIR is the package's skills/, from the source and as it is built", async () => {
  buildIfStale();
  const built: { BUNDLED_AUTHORING_SKILL_DIR: string } = await import(join(ROOT, "dist", "index.js"));

  expect(isAbsolute(BUNDLED_AUTHORING_SKILL_DIR)).toBe(true);
  expect(BUNDLED_AUTHORING_SKILL_DIR).toBe(join(ROOT, "skills"));
  expect(built.BUNDLED_AUTHORING_SKILL_DIR).toBe(BUNDLED_AUTHORING_SKILL_DIR);
});

it("H-7 the authoring skill is a bundle without a problem", async () => {
  const bundles = await listSkills(createFilesystemBackend(BUNDLED_AUTHORING_SKILL_DIR), ["/"]);

  expect(bundles.find(({ slug }) => slug === "parkway-authoring")).toMatchObject({ served: true, problems: [] });
});

it("H-7 the authoring skill's example workflow validates without a finding", async () => {
  const { dir, remove } = temporaryFolder();
  writeTree(dir, EXAMPLES);
  const { diagnostics } = await validateWorkflow({
    rootDir: dir,
    workflow: "expense-claim",
    tools: ["lookup_claim", "pay_claim"],
  });
  remove();

  expect(Object.keys(EXAMPLES)).toHaveLength(5);
  expect(diagnostics).toEqual([]);
});

it("H-7 the authoring skill's example case is one that can be run", () => {
  const [path, text] = Object.entries(EXAMPLES).find(([name]) => name.endsWith(".test.yaml"))!;

  expect(readCaseDocument(path, text, dirname(path))).toMatchObject({
    problems: [],
    document: { steps: { length: 6 } },
  });
});

it("H-7 the authoring skill's example does what it says", async () => {
  const paid: unknown[] = [];
  const tools = toolsFromMap({
    lookup_claim: {
      description: "Finds a claim.",
      inputSchema: { type: "object", properties: { claim_id: { type: "string" } } },
      readOnly: true,
      handler: () => ({ id: "C-17", amount_cents: 42_000, purpose: "travel" }),
    },
    pay_claim: {
      description: "Pays a claim.",
      inputSchema: {
        type: "object",
        properties: { claim_id: { type: "string" }, amount_cents: { type: "integer" } },
      },
      handler: (input) => {
        paid.push(input);
        return { ok: true };
      },
    },
  });
  const { agent } = await open({
    workflow: "expense-claim",
    files: EXAMPLES,
    tools,
    replies: [
      calls(["lookup_claim", { claim_id: "C-17" }]),
      calls(
        ["archmax_set_variables", { variables: { amount_cents: 42_000 } }],
        ["write_file", { file_path: "scratchpad/assessment.md", content: "Travel, with receipts." }],
      ),
      advance("check-limit"),
      says("It waits for finance."),
    ],
  });
  const parked = await agent.workflow.send("s1", { message: "Settle C-17.", variables: { claim_id: "C-17" } });
  const settled = await agent.workflow.decide("s1", { target: "pay" });

  expect(parked).toMatchObject({
    kind: "parked",
    pending: { state: "review", evidence: ["scratchpad/assessment.md"] },
  });
  expect(settled).toMatchObject({ kind: "completed", state: "pay", variables: { outcome: { value: "paid" } } });
  expect(paid).toEqual([{ claim_id: "C-17", amount_cents: 42_000 }]);
});
