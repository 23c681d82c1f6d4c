import type { Gate } from "./types.js";

/** A gate that lets `width` works run at once; the others enter in the order in which they came. */
export function createGate(width: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];

  const enter = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      if (running < width) {
        running += 1;
        return resolve();
      }
      const admit = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(admit), 1);
        reject(signal.reason);
      };
      waiting.push(admit);
      signal.addEventListener("abort", leave, { once: true });
    });

  return {
    async through(signal, work) {
      signal.throwIfAborted();
      await enter(signal);
      try {
        signal.throwIfAborted();
        return await work();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else running -= 1;
      }
    },
  };
}
