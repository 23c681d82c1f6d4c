/** Starts the scripted model in a process of its own, so that its CPU is not counted. */
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface ModelProcess {
  /** For `ARCHMAX_API_BASE_URL`. */
  url: string;
  stop(): void;
}

export async function startModelProcess(): Promise<ModelProcess> {
  const child = fork(join(import.meta.dirname, "model.worker.ts"), {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    execArgv: ["--import", "tsx"],
  });
  const [url] = (await once(createInterface({ input: child.stdout! }), "line")) as [string];
  return { url, stop: () => child.kill() };
}
