/** Sessions that expire, as a host sees them (S-81…S-83). */
import { expect, it } from "vitest";
import { benches, says } from "./support.js";
import { ANSWERS, always, REVIEWED, toReview } from "./workflows.js";

const open = benches();
const DAY = 86_400_000;

it("S-81 S-82 S-83 a finished session is absent after its time, and a sweep removes all of it", async () => {
  const bench = await open({
    spec: ANSWERS,
    answer: always("Yes."),
    host: { retention: { finishedMs: 30 * DAY } },
  });
  const { agent, clock, stores } = bench;
  await agent.workflow.send("s1", { message: "Go", files: { note: { name: "note.txt", content: "x" } } });
  clock.advance(30 * DAY - 1);
  expect(await agent.sessions.get("s1")).toMatchObject({ status: "completed" });
  expect(await agent.wake()).toMatchObject({ due: 0 });

  clock.advance(1);
  expect(await agent.sessions.get("s1")).toBeNull();
  expect(await agent.sessions.list()).toEqual([]);
  expect(await agent.sessions.messageCount("s1")).toBe(0);
  expect(await stores.files.list("s1")).not.toEqual([]);

  expect(await agent.wake()).toMatchObject({ due: 1, woken: 0 });
  expect(await stores.sessions.read("s1")).toBeNull();
  expect(await stores.files.list("s1")).toEqual([]);
});

it("S-82 an input for an expired session opens a new one that knows nothing of it", async () => {
  const bench = await open({ spec: ANSWERS, answer: always("Yes."), host: { retention: { finishedMs: DAY } } });
  await bench.agent.workflow.send("s1", { message: "First" });
  bench.clock.advance(DAY);

  const outcome = await bench.agent.workflow.send("s1", { message: "Second" });

  expect(outcome.messages.map(({ content }) => content)).toEqual(["Second", "Yes."]);
  expect(JSON.stringify(bench.requests[1]?.body.messages)).not.toContain("First");
});

it("S-81 an open session stays without a setting of its own, and goes with one", async () => {
  const replies = [toReview, says("Please.")];
  const kept = await open({ spec: REVIEWED, replies, host: { retention: { finishedMs: DAY } } });
  await kept.agent.workflow.send("s1", { message: "Go" });
  kept.clock.advance(1_000 * DAY);
  expect(await kept.agent.sessions.get("s1")).toMatchObject({ status: "awaiting_decision" });

  const going = await open({ spec: REVIEWED, replies, host: { retention: { openMs: DAY } } });
  await going.agent.workflow.send("s1", { message: "Go" });
  going.clock.advance(DAY);
  expect(await going.agent.sessions.get("s1")).toBeNull();
});

it("S-81 nothing expires unless it is asked for", async () => {
  const bench = await open({ spec: ANSWERS, answer: always("Yes.") });
  await bench.agent.workflow.send("s1", { message: "Go" });
  bench.clock.advance(10_000 * DAY);

  expect(await bench.agent.wake()).toEqual({ due: 0, woken: 0 });
  expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "completed" });
});
