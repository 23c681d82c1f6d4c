/** How an agent repeats requests to its model (A-46…A-48). */
import { describe, expect, it } from "vitest";
import { scriptedModel } from "../../lib/models/index.js";
import { benches, says } from "./support.js";

const open = benches();

const SPEC = `
states:
  work: { triggers: { manual: }, instructions: Work. }
`;
const BUSY = { status: 503, error: { message: "busy" } };

describe("the option retry", () => {
  it("A-46 H-16 says how often the environment's model is asked again", async () => {
    const bench = await open({
      spec: SPEC,
      retry: { retries: 3, baseMs: 1 },
      replies: [BUSY, BUSY, BUSY, says("end")],
    });

    const outcome = await bench.agent.workflow.send("s1", { message: "Go." });

    expect(outcome.reply).toBe("end");
    expect(bench.requests).toHaveLength(4);
  });

  it("A-46 A-48 ends the turn with the provider's error when the attempts are spent, or onError has enough", async () => {
    const seen: number[] = [];
    const onError = ({ attempt }: { attempt: number }) => (seen.push(attempt) === 2 ? "fail" : "retry");
    const bench = await open({
      spec: SPEC,
      retry: { retries: 9, baseMs: 1, onError },
      replies: [BUSY, BUSY, says("x")],
    });

    const sent = bench.agent.workflow.send("s1", { message: "Go." });

    await expect(sent).rejects.toMatchObject({ name: "ModelCallError", status: 503 });
    expect(seen).toEqual([0, 1]);
    const found = await bench.agent.sessions.get("s1");
    expect(found).toMatchObject({ status: "failed" });
  });

  it("A-46 A-53 leaves a model that the host passes as it is: a failure of an in-process one is final", async () => {
    const model = await scriptedModel([{ error: { status: 503, message: "busy" } }, "never"]);
    const bench = await open({ spec: SPEC, model, retry: { retries: 5, baseMs: 1 } });

    const sent = bench.agent.workflow.send("s1", { message: "Go." });

    await expect(sent).rejects.toMatchObject({ name: "ModelCallError", status: 503 });
    expect(model.requests).toHaveLength(1);
  });

  it("A-46 H-10 is refused at assembly when it is none", async () => {
    await expect(open({ spec: SPEC, retry: { retries: -1 } })).rejects.toThrow(/`retry.retries` must be/);
  });
});
