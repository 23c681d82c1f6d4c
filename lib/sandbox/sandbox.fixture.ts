/** A run with valid defaults and what came of it, for this folder's tests. */

import { createSandbox } from "./sandbox.js";
import {
  type CodeStateResult,
  type CodeStateRun,
  DEFAULT_SANDBOX_LIMITS,
  type Evaluation,
  type EvaluationResult,
  type Sandbox,
  type SandboxLimits,
  type ScriptCallResult,
} from "./types.js";

/** Time is not what ends a run here unless its test says so, however slow the machine. */
const AMPLE_MS = 110_000;

export interface Call {
  name: string;
  args: Record<string, unknown>;
  index: number;
}

export interface Ran {
  result: CodeStateResult;
  lines: string[];
  calls: Call[];
}

type Overrides = Partial<Omit<CodeStateRun, "limits" | "callTool">> & {
  limits?: Partial<SandboxLimits>;
  answer?: (call: Call) => ScriptCallResult | Promise<ScriptCallResult>;
};

/** Runs whole scripts (`run`) or the body of an async default export (`body`) in one sandbox. */
export function aSandbox(): Sandbox & {
  run(source: string, overrides?: Overrides): Promise<Ran>;
  body(code: string, overrides?: Overrides): Promise<Ran>;
} {
  const sandbox = createSandbox({ poolSize: 1 });
  const run = async (source: string, { limits, answer = echo, ...overrides }: Overrides = {}): Promise<Ran> => {
    const lines: string[] = [];
    const calls: Call[] = [];
    const result = await sandbox.runCodeState({
      file: "scripts/a.js",
      source,
      input: { state: "intake", trigger: "manual", variables: {} },
      tools: ["read_file", "archmax_advance", "archmax_workflow_enrich-order"],
      startAt: 1_700_000_000_000,
      seed: 42,
      onLine: (line) => lines.push(line),
      callTool: async (name, args, index) => {
        const call = { name, args, index };
        calls.push(call);
        return answer(call);
      },
      ...overrides,
      limits: { ...DEFAULT_SANDBOX_LIMITS, timeoutMs: AMPLE_MS, ...limits },
    });
    return { result, lines, calls };
  };
  return {
    ...sandbox,
    run,
    body: (code, overrides) =>
      run(`export default async ({ state, trigger, variables, tools }) => {\n${code}\n};`, overrides),
  };
}

const echo = ({ name, args }: Call): ScriptCallResult => ({ ok: true, text: `${name} ${JSON.stringify(args)}` });

/** The reason of a run that must have failed with `kind`. */
export function reasonOf({ result }: Ran, kind: string): string {
  if (result.status === "ok" || result.kind !== kind)
    throw new Error(`expected ${kind}, got ${JSON.stringify(result)}`);
  return result.reason;
}

export interface ReplOptions {
  limits?: Partial<SandboxLimits>;
  answer?: (call: Call) => ScriptCallResult | Promise<ScriptCallResult>;
}

/** A REPL whose scripts are called `code` and find `read_file`. */
export function aRepl(sandbox: Sandbox, { limits, answer = echo }: ReplOptions = {}) {
  const repl = sandbox.openRepl();
  const calls: Call[] = [];
  const evaluate = (source: string, overrides: Partial<Evaluation> = {}): Promise<EvaluationResult> =>
    repl.evaluate({
      file: "code",
      source,
      args: {},
      variables: {},
      tools: ["read_file"],
      startAt: 1_700_000_000_000,
      seed: 42,
      callTool: async (name, args, index) => {
        const call = { name, args, index };
        calls.push(call);
        return answer(call);
      },
      limits: { ...DEFAULT_SANDBOX_LIMITS, timeoutMs: AMPLE_MS, ...limits },
      ...overrides,
    });
  const told = (ran: EvaluationResult) => (ran.status === "ok" ? ran.text : `${ran.kind}: ${ran.reason}`);
  return {
    repl,
    calls,
    evaluate,
    /** Results of evaluations one after the other. */
    async texts(...sources: string[]): Promise<string[]> {
      const texts: string[] = [];
      for (const source of sources) texts.push(told(await evaluate(source)));
      return texts;
    },
    /** Kind and reason of an evaluation that must have failed. */
    async failed(source: string): Promise<string> {
      const ran = await evaluate(source);
      if (ran.status === "ok") throw new Error(`expected a failure, got ${JSON.stringify(ran.text)}`);
      return told(ran);
    },
  };
}
