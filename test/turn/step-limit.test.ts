/** What one step may take where invocations end (S-53). */
import { describe, expect, it } from "vitest";
import type { SandboxLimits } from "../../lib/sandbox/types.js";
import { sharedSandbox } from "../harness/agent.js";
import { benches, notes, ofType, says } from "./support.js";

const open = benches();

const spec = (bounds: { settings?: number; budget?: number } = {}) => `
${bounds.settings === undefined ? "" : `settings: { timeoutMs: ${bounds.settings} }`}
states:
  work:
    triggers: { manual: }
    instructions: Work.
    ${bounds.budget === undefined ? "" : `budget: { timeoutMs: ${bounds.budget} }`}
    on_error: rescue
  compute: { type: code, script: scripts/c.js, triggers: { compute: } }
  rescue: { instructions: Mend. }
`;
const files = { "workflows/case/scripts/c.js": "export default async function () {}\n" };

describe("a model call", () => {
  it.each([
    ["without a bound of its own", {}],
    ["with a larger one", { budget: 60_000 }],
  ])("S-53 %s takes an invocation's limit at most; then the state has failed", async (_title, bounds) => {
    const bench = await open({
      spec: spec(bounds),
      files,
      host: { invocationLimitMs: 1_000 },
      answer: (_, ordinal) => (ordinal === 1 ? { ...says("too late"), delayMs: 5_000 } : says("mended")),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(outcome).toMatchObject({ kind: "completed", state: "rescue", reply: "mended" });
    expect(notes(outcome)[0]).toMatch(/^\[error\][\s\S]*1000 ms/);
  });

  it("S-53 R-165 keeps its own bound where that is smaller", async () => {
    const bench = await open({
      spec: spec({ budget: 1_000 }),
      files,
      host: { invocationLimitMs: 60_000 },
      answer: (_, ordinal) => (ordinal === 1 ? { ...says("too late"), delayMs: 5_000 } : says("mended")),
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go" });

    expect(notes(outcome)[0]).toMatch(/^\[error\][\s\S]*1000 ms/);
  });
});

it.each([
  ["the limit, where the sandbox's usual bound is larger", 900, {}, 900],
  ["the limit, where the workflow's bound is larger", 900, { settings: 5_000 }, 900],
  ["its own bound, where that is smaller", 9_000, { settings: 5_000 }, 5_000],
  ["its own bound, where nothing limits an invocation", undefined, { settings: 5_000 }, 5_000],
])("S-53 a script gets %s", async (_title, invocationLimitMs, bounds, expected) => {
  const seen: SandboxLimits[] = [];
  const bench = await open({
    spec: spec(bounds),
    files,
    ...(invocationLimitMs === undefined ? {} : { host: { invocationLimitMs } }),
    sandboxRuntime: {
      ...sharedSandbox(),
      runCodeState: async ({ limits }) => {
        seen.push(limits);
        return { status: "ok" };
      },
    },
    replies: [],
  });

  await bench.agent.workflow.send("s1", { message: "Go", trigger: { id: "compute" } });

  expect(seen.map(({ timeoutMs }) => timeoutMs)).toEqual([expected]);
});

describe("at assembly", () => {
  const warnings = async (bounds: { settings?: number; budget?: number }, invocationLimitMs?: number) => {
    const host = invocationLimitMs === undefined ? {} : { host: { invocationLimitMs } };
    const bench = await open({ spec: spec(bounds), files, replies: [], ...host });
    return ofType(bench.events, "warning").map(({ message }) => message);
  };

  it("S-53 warns of each bound above the limit", async () => {
    expect(await warnings({ settings: 2_000, budget: 3_000 }, 1_000)).toEqual([
      expect.stringMatching(/settings\.timeoutMs is 2000.*1000 ms/),
      expect.stringMatching(/states\.work\.budget\.timeoutMs is 3000.*1000 ms/),
    ]);
  });

  it("S-53 warns of none at or below it, and of none without a limit", async () => {
    expect(await warnings({ settings: 1_000, budget: 1_000 }, 1_000)).toEqual([]);
    expect(await warnings({ settings: 2_000, budget: 3_000 })).toEqual([]);
  });
});
