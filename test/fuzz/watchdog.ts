/**
 * Ends a process whose thread hangs in one input. Nothing on that thread could: an endless loop in a parser lets no
 * timer run. The watching thread prints the input, so that it can be kept as a test.
 */
import { Worker } from "node:worker_threads";

const WATCH = `
  const { parentPort, workerData } = require("node:worker_threads");
  const beat = new Int32Array(workerData.shared);
  let input = "", seen = -1, since = Date.now();
  parentPort.on("message", (text) => { input = text; });
  setInterval(() => {
    const now = Atomics.load(beat, 0);
    if (now !== seen) { seen = now; since = Date.now(); return; }
    if (Atomics.load(beat, 1) === 0 || Date.now() - since < workerData.boundMs) return;
    require("node:fs").writeSync(2, "\\nThe fuzz hangs in this input:\\n" + input + "\\n");
    process.kill(process.pid, "SIGKILL");
  }, 500).unref();
`;

export interface Watchdog {
  /** Runs the work on one input; the input is printed if the work never ends. */
  over<T>(input: string, work: () => T): T;
  close(): Promise<unknown>;
}

export function createWatchdog(boundMs = 30_000): Watchdog {
  const shared = new SharedArrayBuffer(8);
  const beat = new Int32Array(shared);
  const worker = new Worker(WATCH, { eval: true, workerData: { shared, boundMs } });
  worker.unref();
  return {
    over(input, work) {
      worker.postMessage(input.length > 20_000 ? `${input.slice(0, 20_000)}…` : input);
      Atomics.add(beat, 0, 1);
      Atomics.store(beat, 1, 1);
      try {
        return work();
      } finally {
        Atomics.store(beat, 1, 0);
      }
    },
    close: () => worker.terminate(),
  };
}
