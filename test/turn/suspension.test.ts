/** The one mechanism of suspension: a park, and what answers it. */
import { describe, expect, it } from "vitest";
import type { MetricEvent } from "../../lib/extensions/index.js";
import { advance, benches, calls, notes, ofType, says } from "./support.js";

const bench = benches();

const SPEC = `
states:
  work:
    triggers: { manual: , mail: , signed: , withdrawn: , timer: }
    instructions: Work.
    transitions: [{ to: review }, { to: done }]
  review:
    type: human
    instructions: May it be sent?
    transitions:
      - { to: done, type: approve, description: Send it. }
      - { to: work, type: reject, description: Do not. }
  done:
    instructions: End.
`;

const wait = (reason: string, until?: string) => calls(["archmax_wait", { reason, ...(until ? { until } : {}) }]);

describe("A-78 a pending request is a park", () => {
  it("A-78 an approval: the prompt is the instructions, the choices are the transitions, the answer is `decide`", async () => {
    const { agent } = await bench({ spec: SPEC, replies: [advance("review"), says("Please decide."), says("Sent.")] });

    const { pending } = await agent.workflow.send("s1", { message: "Go." });

    expect(pending).toMatchObject({
      channel: "decision",
      instructions: "May it be sent?",
      transitions: [
        { to: "done", type: "approve", description: "Send it." },
        { to: "work", type: "reject", description: "Do not." },
      ],
    });
    expect(await agent.workflow.decide("s1", { target: "done" })).toMatchObject({ kind: "completed", state: "done" });
  });

  it("A-78 one that is declined: a transition of type `reject`", async () => {
    const { agent } = await bench({
      spec: SPEC,
      replies: [advance("review"), says("Please decide."), says("Not sent.")],
    });
    await agent.workflow.send("s1", { message: "Go." });

    const outcome = await agent.workflow.decide("s1", { target: "work", comment: "Too early." });

    expect(outcome).toMatchObject({ kind: "completed", state: "work", reply: "Not sent." });
    expect(notes(outcome).at(-1)).toMatch(/\(reject\).*Too early\./);
  });

  it("A-78 a question: the reply asks it, and a message or a delivery answers it", async () => {
    const { agent } = await bench({
      spec: SPEC,
      replies: [
        { ...wait("the customer's number"), text: "Which number is it?" },
        { ...wait("the letter"), text: "And which letter?" },
        says("Thank you."),
      ],
    });

    const asked = await agent.workflow.send("s1", { message: "Go." });
    const again = await agent.workflow.send("s1", { message: "It is 7." });
    const done = await agent.workflow.deliver("s1", { trigger: { id: "mail" }, variables: { letter: "a.pdf" } });

    expect(asked).toMatchObject({ kind: "parked", parkedChannel: "input", reply: "Which number is it?" });
    expect(again).toMatchObject({ kind: "parked", disposition: "deliver", reply: "And which letter?" });
    expect(done).toMatchObject({ kind: "completed", variables: { letter: { value: "a.pdf" } } });
  });

  it("A-78 an authorization: a link in the reply, and its callback is a trigger that is fired into the session", async () => {
    const link = "Please sign at https://sign.example/x and come back.";
    const { agent } = await bench({
      spec: SPEC,
      replies: [{ ...wait("the signature"), text: link }, says("Signed.")],
    });

    expect(await agent.workflow.send("s1", { message: "Go." })).toMatchObject({ kind: "parked", reply: link });
    const receipt = await agent.accept("s1", { kind: "turn", trigger: "signed" }, { source: "webhook" });
    await agent.work("s1");

    expect((await agent.receipt(receipt.arrivalId))?.outcome).toMatchObject({ kind: "completed", reply: "Signed." });
    expect((await agent.sessions.get("s1"))?.variables?.trigger?.value).toBe("signed");
  });

  it("A-78 one that expires: `until` is told as `resumeAt`, and the time delivers `timer`", async () => {
    const { agent, clock } = await bench({
      spec: SPEC,
      replies: [{ ...wait("the signature", "2h"), text: "I wait." }, says("Nobody signed.")],
    });
    const parked = await agent.workflow.send("s1", { message: "Go." });
    expect(parked.pending).toMatchObject({ resumeAt: "2026-03-20T11:00:00.000Z" });

    clock.advance(2 * 60 * 60_000);
    await agent.wake();

    const session = await agent.sessions.get("s1");
    expect(session).toMatchObject({ status: "completed", variables: { trigger: { value: "timer" } } });
  });

  it("A-78 one that is cancelled: an event of that meaning", async () => {
    const { agent } = await bench({
      spec: SPEC,
      replies: [{ ...wait("the signature"), text: "I wait." }, says("It was withdrawn.")],
    });
    await agent.workflow.send("s1", { message: "Go." });

    const outcome = await agent.workflow.deliver("s1", { trigger: { id: "withdrawn" } });

    expect(outcome).toMatchObject({ kind: "completed", reply: "It was withdrawn." });
    expect(notes(outcome)).toEqual([expect.stringContaining("The event withdrawn has arrived")]);
  });

  it("A-78 an answer that names another park is refused, and changes nothing", async () => {
    const { agent } = await bench({
      spec: SPEC,
      replies: [advance("review"), says("Please decide."), advance("review"), says("Once more."), says("Sent.")],
    });
    const first = await agent.workflow.send("s1", { message: "Go." });
    const second = await agent.workflow.decide("s1", { target: "work", park: first.pending!.parkId });

    const late = agent.workflow.decide("s1", { target: "done", park: first.pending!.parkId });

    await expect(late).rejects.toMatchObject({ name: "StaleDecisionError" });
    expect((await agent.sessions.get("s1"))?.pending).toEqual(second.pending);
    const outcome = await agent.workflow.decide("s1", { target: "done", park: second.pending!.parkId });
    expect(outcome).toMatchObject({ kind: "completed", state: "done" });
  });
});

it("A-79 there is no `waitFor`: neither an assembly nor a call takes one", async () => {
  const waitFor = () => ({ approved: true });
  const { agent } = await bench({ spec: SPEC, replies: [advance("review"), says("Please decide.")] });

  await expect(bench({ spec: SPEC, waitFor } as never)).rejects.toThrow(/no option "waitFor"/);
  const outcome = await agent.workflow.send("s1", { message: "Go." }, { waitFor } as never);

  expect(outcome).toMatchObject({ kind: "parked" });
});

it("A-81 a park is no error anywhere: not of its call, of a metric, or of a loop, and nothing is tried again", async () => {
  const metrics: MetricEvent[] = [];
  const { agent, events, requests } = await bench({
    spec: SPEC,
    onMetric: (metric) => metrics.push(metric),
    replies: [{ ...wait("the signature"), text: "I wait." }],
  });

  const run = await agent.workflow.loop("s1").run("Go.");

  expect(run).toMatchObject({ status: "pending", result: { kind: "parked" } });
  expect(run.result).not.toHaveProperty("exit");
  expect(ofType(events, "tool-result")).toMatchObject([{ tool: "archmax_wait", status: "success" }]);
  expect(events.filter(({ level }) => level !== "info")).toEqual([]);
  expect(metrics.filter(({ event }) => event !== "llm")).toMatchObject([
    { event: "tool", tool: "archmax_wait", isError: false, pending: true },
    { event: "run", kind: "parked" },
  ]);
  expect(metrics.at(-1)).not.toHaveProperty("error");
  expect(requests).toHaveLength(1);
});
