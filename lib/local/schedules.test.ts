import { expect, it } from "vitest";
import { createSchedules } from "./schedules.js";

const at = (time: string) => Date.parse(`2026-03-20T${time}Z`);
const schedules = {
  often: { workflow: "w", trigger: "t", schedule: "rate(5 minutes)" },
  once: { workflow: "w", trigger: "t", schedule: "cron(30 9 20 3 ? 2026)" },
};

function started(fails: { now?: boolean } = {}) {
  const fired: string[] = [];
  const failures: string[] = [];
  const made = createSchedules({
    schedules,
    since: at("09:01:00"),
    fire: async ({ name, at }) => {
      if (fails.now) throw new Error("busy");
      fired.push(`${name} ${at}`);
    },
    failed: (name) => failures.push(name),
  });
  return { ...made, fired, failures };
}

it("fires each schedule once for each of its times", async () => {
  const { run, next, fired } = started();

  for (const time of ["09:04:59", "09:05:00", "09:05:01", "09:10:03"]) await run(at(time));

  expect(fired).toEqual(["often 2026-03-20T09:05:00Z", "often 2026-03-20T09:10:00Z"]);
  expect(next()).toEqual({ often: at("09:15:00"), once: at("09:30:00") });
});

it("of the times that passed unseen only the last one fires", async () => {
  const { run, next, fired } = started();

  await run(at("11:02:00"));

  expect(fired).toEqual(["often 2026-03-20T11:00:00Z", "once 2026-03-20T09:30:00Z"]);
  expect(next()).toEqual({ often: at("11:05:00"), once: null });
});

it("a firing that fails stays due", async () => {
  const fails = { now: true };
  const { run, fired, failures } = started(fails);

  await run(at("09:05:00"));
  fails.now = false;
  await run(at("09:05:01"));

  expect(failures).toEqual(["often"]);
  expect(fired).toEqual(["often 2026-03-20T09:05:00Z"]);
});
