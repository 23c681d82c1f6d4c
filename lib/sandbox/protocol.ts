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

/** One evaluation. `source` has gone through prepareScript. */
export interface WorkerRun {
  type: "run";
  run: number;
  file: string;
  source: string;
  /** JSON of GuestConfig. */
  config: string;
  timeoutMs: number;
  memoryLimitBytes: number;
  maxPtcCalls: number | null;
  startAt: number;
}

/** The answer to call `call`: JSON of `{ call, ok, text | message, tool, ruleId? }`. */
export interface WorkerAnswer {
  type: "answer";
  run: number;
  answer: string;
}

export type ToWorker = WorkerRun | WorkerAnswer;

/** What the prelude is given, as JSON. */
export interface GuestConfig {
  file: string;
  state: string;
  trigger: string;
  variables: Record<string, unknown>;
  /** Name in `tools`, exact tool name. */
  tools: [string, string][];
  seed: number;
}

/** `reason` of an `import` is the specifier; `timeout` and `memory` need none, the host knows the limits. */
export type WorkerOutcome = { status: "ok" } | { status: "error"; kind: SandboxFailure; reason?: string };

export type FromWorker =
  | { type: "ready" }
  /** The engine is there and the run's time begins. */
  | { type: "started"; run: number }
  | { type: "line"; run: number; line: string }
  | { type: "call"; run: number; call: number; tool: string; args: string }
  | { type: "done"; run: number; outcome: WorkerOutcome };
