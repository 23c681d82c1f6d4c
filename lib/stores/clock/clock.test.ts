import { expect, it } from "vitest";
import { systemClock } from "./index.js";

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;

it("keeps the process alive for whoever sleeps, and not after an abort", async () => {
  const before = timers();
  const aborter = new AbortController();
  const sleeping = systemClock.sleep(60_000, aborter.signal);

  expect(timers()).toBe(before + 1);
  aborter.abort();
  await sleeping;
  expect(timers()).toBe(before);
});
