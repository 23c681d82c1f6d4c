/** A code state's run: its script in the sandbox, every call governed, settled in exactly one way (R-131…R-154). */
import { offeredTools } from "../../kernel/index.js";
import { DEFAULT_SANDBOX_LIMITS, type SandboxLimits } from "../../sandbox/types.js";
import { completeTurn } from "../../session/completion.js";
import type { EventDraft } from "../../session/events.js";
import { applyPatches } from "../../session/fold.js";
import { automatedAdvance, raiseEnd, routeFailure } from "../../session/moves.js";
import type { SessionPatch, SessionState } from "../../session/state.js";
import { valuesOf } from "../../session/variables.js";
import { AutomatedRun } from "../automated/run.js";
import { returnedFileIssue } from "../file-facts.js";
import { boundOf } from "../step-limit.js";
import type { Turn, TurnNode } from "../types.js";

export const automatedNode: TurnNode = async (turn, state) => {
  const slug = state.fields.position ?? "";
  const spec = turn.machine.states.get(slug)!.spec;
  const script = spec.script ?? "";
  const startedAt = turn.host.clock.now();
  const run = new AutomatedRun(turn, state, startedAt);
  turn.emit({ type: "code-start", state: slug, script });
  const problem = await runScript(turn, state, run, { slug, script });
  turn.signal.throwIfAborted();
  turn.writer.assertOwned();
  const step: SessionPatch = {
    set: { stepsUsed: (state.fields.stepsUsed ?? 0) + 1, ranVisit: state.fields.visit ?? 0 },
  };
  const after = applyPatches(state, [step, ...run.written]);
  const end = await settle(turn, after, run, problem);
  turn.afterCommit.push(
    ...run.events,
    {
      type: "code-result",
      state: slug,
      status: end.reason === undefined ? "ok" : "error",
      durationMs: turn.host.clock.now() - startedAt,
      ...(end.reason !== undefined ? { reason: end.reason } : {}),
    },
    ...end.events,
  );
  return { patches: [step, ...run.written, ...end.patches] };
};

/** Why the run failed, or null for a clean finish. */
async function runScript(
  turn: Turn,
  state: SessionState,
  run: AutomatedRun,
  { slug, script }: { slug: string; script: string },
): Promise<string | null> {
  const { machine, assembly } = turn;
  const source = await assembly.authoring.readFile(machine.workflow, script);
  if (source === null) return `its script ${script} cannot be read.`;
  const limits = limitsOf(turn);
  const begun = performance.now();
  const result = await assembly.sandbox.runCodeState({
    file: script,
    source,
    input: { state: slug, trigger: state.fields.trigger ?? "", variables: valuesOf(state.variables) },
    tools: offeredTools(machine, assembly.tables, slug, { registered: assembly.registered }),
    limits,
    startAt: run.startAt,
    seed: run.seed,
    signal: turn.signal,
    onLine: (line) => turn.emit({ type: "code-output", state: slug, line }),
    callTool: (name, args, index) => run.call(name, args, index),
  });
  if (result.status === "ok") await run.rest(limits.timeoutMs - (performance.now() - begun));
  run.close();
  if (run.broken !== null) return run.broken;
  return result.status === "ok" ? null : result.reason;
}

function limitsOf(turn: Turn): SandboxLimits {
  const { settings } = turn.machine.spec;
  const timeoutMs = settings?.timeoutMs ?? DEFAULT_SANDBOX_LIMITS.timeoutMs;
  return {
    timeoutMs: boundOf(timeoutMs, turn.host.invocationLimitMs) ?? timeoutMs,
    memoryLimitBytes: settings?.memoryLimitBytes ?? DEFAULT_SANDBOX_LIMITS.memoryLimitBytes,
    maxPtcCalls: settings?.maxPtcCalls === undefined ? DEFAULT_SANDBOX_LIMITS.maxPtcCalls : settings.maxPtcCalls,
    maxResultChars: settings?.maxResultChars ?? DEFAULT_SANDBOX_LIMITS.maxResultChars,
  };
}

/** a raise outranks an error, an error discards an accepted advance. */
async function settle(
  turn: Turn,
  after: SessionState,
  run: AutomatedRun,
  problem: string | null,
): Promise<{ patches: SessionPatch[]; events: EventDraft[]; reason?: string }> {
  const { machine, host, arrival } = turn;
  const moment = { now: host.clock.now(), arrivalId: arrival.id };
  const { decision } = run;
  if (decision?.kind === "raise") {
    const end = raiseEnd(after, decision);
    return { patches: [{ set: end.set }], events: end.events, ...(problem !== null ? { reason: problem } : {}) };
  }
  const state = machine.states.get(after.fields.position ?? "")!;
  const failure =
    problem ??
    (decision === null && !state.terminal ? "its script ended without archmax_advance or archmax_raise." : null);
  if (failure !== null) return { ...routeFailure(machine, after, { ...moment, reason: failure }), reason: failure };
  if (decision) return automatedAdvance(machine, after, { ...moment, ...decision, kind: "code" });
  const fileIssue = await returnedFileIssue(turn, after);
  const isChild = turn.lineage.dispatchId !== null;
  return completeTurn(machine, after, { now: moment.now, isChild, ...(fileIssue !== null ? { fileIssue } : {}) });
}
