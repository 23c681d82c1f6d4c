/** The cases of the bundled workflows, run by the engine: code states for real, models by their demo's replies. */
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { caseTargetWith, runTests } from "../../lib/cases/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { invoiceChaserTools } from "../../workflows/invoice-chaser/host/tools.js";
import { refundDeskTools } from "../../workflows/refund-desk/host/tools.js";
import { sharedSandbox } from "../harness/agent.js";

const root = resolve(import.meta.dirname, "../..");

async function run(workflow: string, { replies, filter }: { replies?: string; filter?: string } = {}) {
  return runTests({
    workflow,
    rootDir: root,
    filter,
    env: {},
    createTarget: caseTargetWith({
      tools: toolsFromMap({
        ...refundDeskTools({ ordersFile: "/nowhere", outboxDir: "/nowhere" }),
        ...invoiceChaserTools({ outboxDir: "/nowhere" }),
      }),
      env: replies === undefined ? {} : { ARCHMAX_MODEL: `script:workflows/${replies}/demo/replies.yaml` },
      stores: { sessions: createMemorySessionStore(), files: createMemoryFileStore() },
      sandboxRuntime: sharedSandbox(),
    }),
  });
}

describe("the cases of the bundled workflows", () => {
  it.each([
    ["hello-park", {}, 4],
    ["hello-wait", { replies: "hello-wait" }, 1],
    ["draft-reminder", { replies: "invoice-chaser" }, 1],
    ["invoice-chaser", { filter: "unknown-payment" }, 1],
    ["invoice-chaser", { replies: "invoice-chaser", filter: "paid-after" }, 1],
  ] as const)("C-3 C-50 of %s pass on a scripted model %j", async (workflow, options, count) => {
    const { results, exitCode } = await run(workflow, options);

    expect(
      results.flatMap(({ id, verdict, error }) => (verdict.status === "passed" ? [] : [id, verdict, error])),
    ).toEqual([]);
    expect(results).toHaveLength(count);
    expect(exitCode).toBe(0);
  });
});
