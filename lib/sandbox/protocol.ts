/** What the host and a worker thread say to each other. Guest data crosses as JSON text only. */

import type { SandboxFailure } from "./types.js";

/** A compiled WebAssembly module, which Node's types do not name. */
export type CompiledEngine = object;

/** Handed to a worker when it starts; the module was compiled once for the whole process. */
export interface WorkerStart {
  wasm: CompiledEngine;
  /** Source of the guest's own set-up, see prelude.ts. */
  prelude: string;
}

/** A code state's run, in a fresh engine, or one evaluation of the REPL that the worker holds. `source` has been prepared. */
export interface WorkerRun {
  type: "run" | "evaluate";
  run: number;
  file: string;
  source: string;
  /** JSON of GuestConfig or ReplConfig. */
  config: string;
  timeoutMs: number;
  memoryLimitBytes: number;
  maxPtcCalls: number | null;
  maxResultChars: number;
  startAt: number;
}

/** The answer to call `call`: JSON of `{ call, ok, text | message, tool, ruleId? }`. */
export interface WorkerAnswer {
  type: "answer";
  run: number;
  answer: string;
}

/** The REPL is closed; its engine goes. */
export interface WorkerForget {
  type: "forget";
}

export type ToWorker = WorkerRun | WorkerAnswer | WorkerForget;

/** What the prelude is given for a code state, as JSON. */
export interface GuestConfig {
  file: string;
  state: string;
  trigger: string;
  variables: Record<string, unknown>;
  /** Name in `tools`, exact tool name. */
  tools: [string, string][];
  seed: number;
}

/** What the prelude is given at each evaluation of a REPL, as JSON. */
export interface ReplConfig {
  file: string;
  args: Record<string, unknown>;
  variables: Record<string, unknown>;
  tools: [string, string][];
  seed: number;
  maxResultChars: number;
}

/**
 * `reason` of an `import` is the specifier; `timeout` and `memory` need none, the host knows the limits. `text` is an
 * evaluation's result, without the `lost` characters at its end.
 */
export type WorkerOutcome =
  | { status: "ok"; text?: string; lost?: number }
  | { status: "error"; kind: SandboxFailure; reason?: string };

/** How an evaluation leaves its REPL. */
export interface ReplAfter {
  /** `unusable`: the engine did not get as far as the script, because an earlier one had damaged it. */
  engine: "kept" | "lost" | "unusable";
  fresh: boolean;
  holdsNames: boolean;
  /** Printed characters that were not sent. */
  lostPrinted: number;
}

export type FromWorker =
  | { type: "ready" }
  /** The engine is there and the run's time begins. */
  | { type: "started"; run: number }
  /** A code state's line, or a piece of what an evaluation printed. */
  | { type: "line"; run: number; line: string }
  | { type: "call"; run: number; call: number; tool: string; args: string }
  | { type: "done"; run: number; outcome: WorkerOutcome; repl?: ReplAfter };
