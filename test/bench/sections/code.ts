/** What one more code state costs a turn that is warm, and what its script costs in the sandbox alone. */

import { createSandbox } from "../../../lib/sandbox/index.js";
import { DEFAULT_SANDBOX_LIMITS } from "../../../lib/sandbox/types.js";
import { openDesk } from "../desk.js";
import { median, ms, percentile, printTable, timed } from "../report.js";
import { WORKFLOW } from "../work.js";

const WARM_UP = 30;
const RUNS = 150;

const SCRIPT = `export default async function ({ state, variables, tools }) {
  const count = (variables.count ?? 0) + 1;
  await tools.archmax_set_variables({ variables: { count } });
  if (!state.startsWith("last")) await tools.archmax_advance({ to: variables.next ?? "last-b", reason: "Counted." });
}
`;

const SPEC = `states:
  first:
    type: code
    script: scripts/count.js
    triggers: { manual: { message: false } }
    transitions: [{ to: last-b }]
  last-a:
    type: code
    script: scripts/count.js
    triggers: { short: { message: false } }
  last-b: { type: code, script: scripts/count.js }
`;

export async function code(): Promise<void> {
  const sandbox = createSandbox();
  const { agent } = await openDesk("http://127.0.0.1:9", {
    sandboxRuntime: sandbox,
    files: { [`workflows/${WORKFLOW}/workflow.yaml`]: SPEC, [`workflows/${WORKFLOW}/scripts/count.js`]: SCRIPT },
  });
  const one: number[] = [];
  const two: number[] = [];
  const alone: number[] = [];
  const empty: number[] = [];
  try {
    for (let index = 0; index < WARM_UP + RUNS; index += 1) {
      for (const [trigger, into] of [
        ["short", one],
        ["manual", two],
      ] as const) {
        const { wall } = await timed(async () => {
          const outcome = await agent.workflow.send(`${trigger}-${index}`, { trigger: { id: trigger } });
          if (outcome.kind !== "completed")
            throw new Error(`The turn ended as ${outcome.kind}: ${JSON.stringify(outcome.exit)}`);
        });
        if (index >= WARM_UP) into.push(wall);
      }
      for (const [source, into] of [
        [SCRIPT, alone],
        ["export default () => {};", empty],
      ] as const) {
        const { wall } = await timed(() => runAlone(sandbox, source));
        if (index >= WARM_UP) into.push(wall);
      }
    }
  } finally {
    await agent.close();
  }
  printTable(`code states, warm (${RUNS} each, turn about)`, [
    ["", "median ms", "p99 ms"],
    ["turn of one code state", ms(median(one)), ms(percentile(one, 0.99))],
    ["turn of two code states", ms(median(two)), ms(percentile(two, 0.99))],
    ["  one code state more", ms(median(two) - median(one)), ""],
    ["its script in the sandbox", ms(median(alone)), ms(percentile(alone, 0.99))],
    ["an empty script in the sandbox", ms(median(empty)), ms(percentile(empty, 0.99))],
  ]);
}

async function runAlone(sandbox: ReturnType<typeof createSandbox>, source: string): Promise<void> {
  const result = await sandbox.runCodeState({
    file: "scripts/count.js",
    source,
    input: { state: "first", trigger: "manual", variables: {} },
    tools: ["archmax_set_variables", "archmax_advance"],
    limits: DEFAULT_SANDBOX_LIMITS,
    startAt: 0,
    seed: 1,
    onLine: () => {},
    callTool: async () => ({ ok: true, text: "ok" }),
  });
  if (result.status !== "ok") throw new Error(result.reason);
}
