import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { closingOn } from "../../functions/turn/worker.js";

it("A-64 closes the worker, and what runs for it, when the execution environment ends", async () => {
  const told: string[] = [];
  const environment = Object.assign(new EventEmitter(), { exit: (code: number) => void told.push(`exit ${code}`) });
  const worker = {
    close: async () => {
      await new Promise(setImmediate);
      told.push("closed");
    },
  };
  expect(closingOn(environment, worker)).toBe(worker);
  expect(told).toEqual([]);

  environment.emit("SIGTERM");

  await expect.poll(() => told).toEqual(["closed", "exit 0"]);
});
