import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { aBench, type Bench } from "../harness/agent.js";

let bench: Bench;
afterEach(() => bench.close());

const SPEC = `
title: Asking
instructions: Answer.
states:
  answer:
    triggers: { manual: }
    instructions: Answer in one line.
`;

function edit(text: string): void {
  writeFileSync(join(bench.rootDir, "workflows", "case", "workflow.yaml"), text);
}

it("R-32 W-34 W-52 adopts an edit with the next turn of an agent that lives on, a disabled flag included", async () => {
  bench = await aBench({ spec: SPEC, replies: [{ text: "One." }, { text: "Two." }] });
  await bench.agent.workflow.send("s1", { message: "First?" });
  const before = await bench.agent.sessions.get("s1");

  edit(SPEC.replace("in one line", "in two lines"));
  await bench.agent.workflow.send("s1", { message: "Second?" });
  const after = await bench.agent.sessions.get("s1");
  edit(`${SPEC}disabled: true\n`);
  const refused = await bench.agent.workflow.send("s1", { message: "Third?" });

  expect(JSON.stringify(bench.requests[1]?.body.messages)).toContain("in two lines");
  expect(after?.specHash).not.toBe(before?.specHash);
  expect(refused).toMatchObject({ kind: "rejected", rejected: expect.stringContaining("case") });
  expect(bench.requests).toHaveLength(2);
});

it("R-32 an edit that cannot be loaded is not in force: the last good one goes on, with a warning", async () => {
  bench = await aBench({ spec: SPEC, replies: [{ text: "One." }] });

  edit("states: [");
  const outcome = await bench.agent.workflow.send("s1", { message: "First?" });

  expect(outcome).toMatchObject({ kind: "completed", reply: "One." });
  expect(bench.events.find((event) => event.type === "warning")).toMatchObject({ scope: "workflow" });
});
