/** Starting a demo worker and listening to it. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { EngineEvent } from "../../session/events.js";
import { type DemoStep, STEP_VARIABLE } from "./story.js";

export interface WorkerEnd {
  /** What the worker's one job answered; absent when it was killed. */
  result?: unknown;
  signal: NodeJS.Signals | null;
  code: number | null;
}

export interface WorkerOptions {
  onEvent(event: EngineEvent): void;
  /** Kill the worker without notice as soon as it says that it has stopped. */
  kill: boolean;
  /** Ends the worker without notice. */
  abort: AbortSignal;
}

/** A process that has been started for one step and waits to be told. */
export interface WaitingWorker {
  /** @returns once the worker has answered, or is gone. @throws the signal's reason when it was aborted */
  run(): Promise<WorkerEnd>;
}

/** Starts a process for one step. It begins when it is told, and ends when this process does. */
export function startWorker(step: DemoStep, options: WorkerOptions): WaitingWorker {
  const child = spawn(process.execPath, [process.argv[1] ?? "", "demo"], {
    env: { ...process.env, [STEP_VARIABLE]: JSON.stringify(step) },
    stdio: ["pipe", "pipe", "inherit"],
    signal: options.abort,
    killSignal: "SIGKILL",
  });
  const end: WorkerEnd = { signal: null, code: null };
  const ended = new Promise<void>((resolve) => {
    // An aborted start and a broken pipe are followed by `close`, as everything is.
    child.on("error", () => {});
    child.stdin.on("error", () => {});
    child.on("close", (code, signal) => {
      Object.assign(end, { code, signal });
      resolve();
    });
  });
  const answered = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const said = JSON.parse(line) as { event?: EngineEvent; result?: unknown; stopped?: string };
      if (said.event && !options.abort.aborted) options.onEvent(said.event);
      if (said.stopped !== undefined && options.kill) child.kill("SIGKILL");
      if (said.result === undefined) return;
      end.result = said.result;
      resolve();
    });
  });
  return {
    async run() {
      child.stdin.write("\n");
      await Promise.race([answered, ended]);
      options.abort.throwIfAborted();
      return end;
    },
  };
}
