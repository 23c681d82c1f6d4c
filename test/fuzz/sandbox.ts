/** Fuzz of the sandbox: hostile scripts end within their limits, reach nothing but their tools, and harm no later run. */
import * as fc from "fast-check";
import { expect } from "vitest";
import { createSandbox, type Repl, type SandboxLimits, type ScriptCallResult } from "../../lib/sandbox/index.js";
import { HOSTILE, hostileScript } from "./hostile-scripts.js";
import { Counts, type FuzzRun, parametersOf } from "./run.js";

const LIMITS: SandboxLimits = {
  timeoutMs: 150,
  memoryLimitBytes: 24 * 1024 * 1024,
  maxPtcCalls: 24,
  maxResultChars: 2_000,
};
/** No run of an ordinary script ends by these. */
const AMPLE: SandboxLimits = { ...LIMITS, timeoutMs: 100_000 };
/** Starting an engine and ending a stuck worker are no part of the script's time; a busy machine takes long over both. */
const SLOWEST_MS = 20_000;
const TOOLS = ["read_file", "send"];
const FAILURES = ["threw", "timeout", "memory", "calls", "syntax", "import", "no-default-export"];
const NEXT = "console.log(await tools.read_file({ next: 1 }));";
const PRINT = "const print = (...values) => console.log(...values);";

interface Made {
  calls: { name: string; args: Record<string, unknown> }[];
  lines: string[];
}

/** Runs one script as a code state or in a REPL: what became of it, as a kind. */
type Evaluate = (code: string, made: Made, limits?: SandboxLimits) => Promise<string>;

/** @param corpus - every statement of the corpus once, before random mixtures of it */
export async function fuzzSandbox(run: FuzzRun, corpus: boolean): Promise<Counts> {
  const counts = new Counts("sandbox", [
    "scripts",
    "in a REPL",
    "ok",
    ...FAILURES,
    "calls reached the host",
    "escapes",
    "ms at most",
  ]);
  const sandbox = createSandbox({ poolSize: 1 });
  const common = { file: "scripts/a.js", tools: TOOLS, limits: LIMITS, startAt: 1_700_000_000_000, seed: 42 };

  const asCodeState: Evaluate = async (code, made, limits = LIMITS) => {
    const source = `${PRINT}\nexport default async ({ tools, state, trigger, variables }) => {\n${code}\n};`;
    const input = { state: "work", trigger: "manual", variables: { a: { b: 1 } } };
    const onLine = (line: string) => made.lines.push(line);
    const result = await sandbox.runCodeState({ ...common, limits, source, input, onLine, callTool: answering(made) });
    return result.status === "ok" ? "ok" : result.kind;
  };
  const inRepl: Evaluate = async (code, made) => {
    const repl = sandbox.openRepl();
    try {
      const kind = await evaluateIn(repl, code, made);
      // What a script does to its own names is there for the next one, but reaches no further.
      await evaluateIn(repl, NEXT, made);
      return kind;
    } finally {
      await repl.close();
    }
  };
  const evaluateIn = async (repl: Repl, code: string, made: Made) => {
    const source = `var print = (...values) => console.log(...values);\n${code}`;
    const result = await repl.evaluate({ ...common, source, args: { a: 1 }, variables: {}, callTool: answering(made) });
    if (result.printed !== "") made.lines.push(result.printed);
    expect(result.printed.length).toBeLessThan(LIMITS.maxResultChars + 200);
    if (result.status === "ok") expect(result.text.length).toBeLessThan(LIMITS.maxResultChars + 200);
    return result.status === "ok" ? "ok" : result.kind;
  };

  // The end of the time does not end the script that is running then.
  let last: Promise<void> = Promise.resolve();
  const property = fc.asyncProperty(hostileScript, fc.boolean(), async (code, isRepl) => {
    counts.add("scripts");
    if (isRepl) counts.add("in a REPL");
    last = attack(code, isRepl ? inRepl : asCodeState, { counts, next: asCodeState });
    await last;
  });
  try {
    if (corpus) {
      const all = HOSTILE.flatMap((code): [string, boolean][] => [
        [code, false],
        [code, true],
      ]);
      await fc.assert(property, { seed: run.seed, numRuns: all.length, examples: all });
    }
    await fc.assert(property, parametersOf(run));
  } finally {
    await last.catch(() => {});
    await sandbox.close();
  }
  return counts;
}

async function attack(
  code: string,
  evaluate: Evaluate,
  { counts, next: ordinary }: { counts: Counts; next: Evaluate },
): Promise<void> {
  const made: Made = { calls: [], lines: [] };
  const host = hostState();
  const startedAt = performance.now();

  const kind = await evaluate(code, made);

  counts.add(kind);
  counts.add("calls reached the host", made.calls.length);
  const ms = performance.now() - startedAt;
  counts.max("ms at most", ms);
  try {
    expect(["ok", ...FAILURES], code).toContain(kind);
    expect(ms, code).toBeLessThan(SLOWEST_MS);
    expect(made.calls.length, code).toBeLessThanOrEqual(2 * LIMITS.maxPtcCalls!);
    for (const { name, args } of made.calls) {
      expect(TOOLS, code).toContain(name);
      expect(Object.getPrototypeOf(args), code).toBe(Object.prototype);
    }
    for (const line of made.lines)
      expect(line, code).not.toMatch(/\bobject(object|function)|node:internal|\/node_modules\/|\/lib\//);
    expect(hostState(), code).toEqual(host);
    // The next run, in the same worker or another one, is an ordinary one.
    const next: Made = { calls: [], lines: [] };
    expect(await ordinary(NEXT, next, AMPLE), code).toBe("ok");
    expect(next.calls, code).toEqual([{ name: "read_file", args: { next: 1 } }]);
    expect(next.lines, code).toEqual(["read_file answers"]);
  } catch (error) {
    counts.add("escapes");
    throw error;
  }
}

function answering({ calls }: Made) {
  return async (name: string, args: Record<string, unknown>): Promise<ScriptCallResult> => {
    calls.push({ name, args });
    if (name === "send" && calls.length % 3 === 0)
      return { ok: false, message: "refused", ruleId: "tool.not-allowed", tool: name };
    return { ok: true, text: `${name} answers` };
  };
}

/** What a guest that got at the host's own objects would change. */
function hostState(): string[] {
  const built = [Object, Function, Array, Promise, Error, String, JSON, Symbol];
  const parts = built.flatMap((one) => [one, (one as { prototype?: object }).prototype ?? {}]);
  return [globalThis, ...parts].map((part) => Reflect.ownKeys(part).map(String).join());
}
