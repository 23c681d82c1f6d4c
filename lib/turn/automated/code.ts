/** A code state's run: its script in the sandbox, every call governed (R-146…R-154). */
import { offeredTools } from "../../kernel/index.js";
import type { SessionState } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { InvocationEndedError } from "../errors.js";
import { sandboxLimits } from "../scripts/limits.js";
import type { Turn } from "../types.js";
import { UNDECIDED } from "./controls.js";
import { AutomatedRun } from "./run.js";
import type { RunEnd } from "./run-end.js";

export async function runCode(turn: Turn, state: SessionState): Promise<RunEnd> {
  const current = turn.machine.states.get(state.fields.position ?? "")!;
  const script = current.spec.script ?? "";
  const startedAt = turn.host.clock.now();
  const run = new AutomatedRun(turn, state);
  if (!run.journaled.isReplay) turn.emit({ type: "code-start", state: current.slug, script });
  const problem = await runScript(turn, state, run, { slug: current.slug, script });
  if (run.journaled.cutOff.aborted) throw new InvocationEndedError();
  const isUndecided = run.controls.decision === null && !current.terminal;
  return {
    effects: run.controls,
    problem: problem ?? (isUndecided ? `its script ended ${UNDECIDED}` : null),
    steps: 1,
    startedAt,
    trail: run.journaled.trail(),
    used: run.journaled.used(),
  };
}

/** Why the run failed, or null for a clean finish. */
async function runScript(
  turn: Turn,
  state: SessionState,
  run: AutomatedRun,
  { slug, script }: { slug: string; script: string },
): Promise<string | null> {
  const { machine, assembly } = turn;
  const { journaled } = run;
  const source = await assembly.authoring.readFile(machine.workflow, script);
  if (source === null) return `its script ${script} cannot be read.`;
  const limits = sandboxLimits(turn);
  const begun = performance.now();
  const result = await assembly.sandbox.runCodeState({
    file: script,
    source,
    input: { state: slug, trigger: state.fields.trigger ?? "", variables: valuesOf(state.variables) },
    tools: offeredTools(machine, assembly.tables, slug, { registered: assembly.registered }),
    limits,
    startAt: journaled.startAt,
    seed: journaled.seed,
    signal: AbortSignal.any([turn.signal, journaled.cutOff]),
    onLine: (line) => turn.emit({ type: "code-output", state: slug, line }),
    callTool: (name, args, index) => run.call(name, args, index),
  });
  if (result.status === "ok") await journaled.rest(limits.timeoutMs - (performance.now() - begun));
  // What is still under way would otherwise run on beside the next invocation's replay.
  if (journaled.cutOff.aborted) await journaled.rest();
  await journaled.close();
  if (run.broken !== null) return run.broken;
  return result.status === "ok" ? null : result.reason;
}
