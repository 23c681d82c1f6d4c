import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toolsFromMap } from "../../lib/tools/index.js";
import { SCENARIOS, type Scenario } from "./scenarios.js";
import { runScenario } from "./world.js";

/** Nothing is declared of this tool, so nobody may run it a second time. */
function payTool(dir: string) {
  return toolsFromMap({
    ring_up: {
      description: "Pays.",
      inputSchema: { type: "object", properties: { who: { type: "string" } } },
      handler: () => {
        mkdirSync(dir, { recursive: true });
        appendFileSync(join(dir, "payments"), "paid\n");
        return { ok: true };
      },
    },
    look_up: { description: "Reads.", inputSchema: { type: "object" }, readOnly: true, handler: () => "rain" },
    note_down: { description: "Notes.", inputSchema: { type: "object" }, idempotent: true, handler: () => "ok" },
  });
}

const scenario: Scenario = {
  ...SCENARIOS.find((candidate) => candidate.name === "three calls at once")!,
  tools: payTool,
  effects: (dir) =>
    existsSync(join(dir, "payments")) ? readFileSync(join(dir, "payments"), "utf8").split("\n").length - 1 : 0,
};

interface Result {
  effects: number;
  state: {
    fields: { status: string };
    messages: { name?: string; additional_kwargs?: { archmax?: { refusal?: string } } }[];
  };
}

it("S-39 S-41 F-15 never runs a call twice whose tool declares nothing: its outcome is said to be unknown", {
  timeout: 120_000,
}, async () => {
  const undisturbed = await runScenario(scenario, null);
  const unknown: number[] = [];

  for (let at = 1; at <= undisturbed.ops.length; at += 1) {
    for (const mode of ["before", "after"] as const) {
      const { effects, state } = (await runScenario(scenario, { at, mode })).result as Result;
      const answer = state.messages.find((message) => message.name === "ring_up");
      const interrupted = answer?.additional_kwargs?.archmax?.refusal === "interrupted";
      if (interrupted) unknown.push(at);
      expect(effects).toBeLessThanOrEqual(1);
      expect(interrupted || effects === 1).toBe(true);
      expect(state.fields.status).toBe("completed");
    }
  }

  // Only an end between the entry and the answer leaves the outcome open.
  expect(unknown.length).toBeGreaterThan(0);
  expect(unknown.length).toBeLessThan(undisturbed.ops.length);
});
