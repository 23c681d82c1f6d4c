import { afterEach, expect, it } from "vitest";
import { aBench, type Bench } from "../harness/agent.js";

let bench: Bench;
afterEach(() => bench.close());

it("R-50 R-51 completes where the agent ends in text", async () => {
  bench = await aBench({
    spec: `
instructions: Answer.
states:
  answer:
    triggers: { manual: }
    instructions: Look it up and answer.
    tools: { allow: [double] }
`,
    replies: [{ toolCalls: [{ name: "archmax_get_variables", args: {} }] }, { text: "Forty-two." }],
  });

  const outcome = await bench.agent.workflow.send("s1", { message: "What is it?" });

  expect(outcome).toMatchObject({
    kind: "completed",
    status: "completed",
    state: "answer",
    reply: "Forty-two.",
    exit: { success: true },
  });
  expect(bench.events.at(-1)).toMatchObject({ type: "state-leave", state: "answer", next: "answer" });
});
