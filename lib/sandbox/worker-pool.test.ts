import { expect, it, onTestFinished } from "vitest";
import { createWorkerPool } from "./worker-pool.js";

it("F-89 gives the engine's thread a native stack of at least 16 MB", async () => {
  const pool = createWorkerPool(1);
  onTestFinished(() => pool.close());
  const { thread } = await pool.take();

  expect(thread.resourceLimits?.stackSizeMb).toBeGreaterThanOrEqual(16);
});
