/** What a trigger says of itself is for whoever calls it. */
import { expect, it } from "vitest";
import { advance, benches, calls, says } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    triggers:
      manual: { description: Told to callers alone. }
      mailed: { description: Told to the mail system alone. }
    instructions: Work.
    transitions: [{ to: ask, description: Ready. }]
  ask:
    type: human
    instructions: Good?
    transitions: [{ to: work, type: refine, description: Again. }]
`;

it("H-121 R-275 W-114 a trigger's description reaches its callers' model, and never the session's own", async () => {
  const caller = `
states:
  call:
    triggers: { manual: { description: Calls. } }
    instructions: Call.
    tools: { allow: [archmax_workflow_called] }
`;
  const own = await open({
    spec: SPEC,
    replies: [advance("ask"), says("It waits."), says("It still waits."), says("Done.")],
  });
  await own.agent.workflow.send("s1", { message: "Begin.", trigger: { id: "mailed" } });
  await own.agent.workflow.reply("s1", "What is this?");
  await own.agent.workflow.decide("s1", { target: "work", comment: "Again." });
  const called = SPEC.replace("type: human", "type: human\n    title: Ask");
  const above = await open({
    spec: caller,
    files: { "workflows/called/workflow.yaml": called },
    replies: [calls(["archmax_workflow_called", {}]), says("The child is done."), says("All done.")],
  });
  await above.agent.workflow.send("s2", { message: "Begin." });

  expect(own.requests.length).toBe(4);
  expect(JSON.stringify(own.requests.map(({ body }) => body))).not.toMatch(/Told to/);
  expect(JSON.stringify(above.requests[0]?.body)).toContain("Told to callers alone.");
  expect(JSON.stringify(above.requests[1]?.body)).not.toContain("Told to");
});
