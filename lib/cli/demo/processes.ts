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
}

/** Runs one step in a process of its own. */
export async function runWorker(step: DemoStep, options: WorkerOptions): Promise<WorkerEnd> {
  const child = spawn(process.execPath, [process.argv[1] ?? "", "demo"], {
    env: { ...process.env, [STEP_VARIABLE]: JSON.stringify(step) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const end: WorkerEnd = { signal: null, code: null };
  const closed = new Promise<void>((resolve) => {
    child.on("close", (code, signal) => {
      Object.assign(end, { code, signal });
      resolve();
    });
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const said = JSON.parse(line) as { event?: EngineEvent; result?: unknown; stopped?: string };
    if (said.event) options.onEvent(said.event);
    if (said.result !== undefined) end.result = said.result;
    if (said.stopped !== undefined && options.kill) child.kill("SIGKILL");
  }
  await closed;
  return end;
}
