import { describe, expect, it } from "vitest";
import { failedDelegationsReason, parkDelegationOf, settleDelegations, settlePending } from "./delegations.js";
import type { CallAnswer, DelegatedCall, FailedDelegation, InputPark, PendingDelegation } from "./state.js";

const park: InputPark = {
  channel: "input",
  parkId: "park-1",
  state: "waiting",
  reason: "the bank",
  parkedAt: "2026-03-20T09:00:00.000Z",
};

function call(result: DelegatedCall["result"], more: Partial<DelegatedCall> = {}): DelegatedCall {
  const { workflow = "check", dispatchId = "1", ...rest } = more;
  return { workflow, sessionId: `s~${dispatchId}`, dispatchId, state: "work", args: { n: 1 }, at: 5, result, ...rest };
}

const ok = (more?: Partial<DelegatedCall>) => call({ kind: "ok" }, more);
const failing = (more?: Partial<DelegatedCall>) =>
  call({ kind: "failed", failure: "raised", reason: "It was too late." }, more);

function answers(...calls: DelegatedCall[]): CallAnswer[] {
  return calls.map((delegated, index) => ({
    callId: `c${index}`,
    tool: "archmax_workflow_check",
    text: "…",
    status: delegated.result.kind === "failed" ? "error" : "success",
    delegated,
  }));
}

function recorded(batchAt: number, more: Partial<FailedDelegation> = {}): FailedDelegation {
  return { workflow: "check", kind: "raised", state: "work", args: { n: 1 }, reason: "r", batchAt, ...more };
}

describe("a settled batch", () => {
  it("R-187 R-191 records failures with kind, state and arguments, and a trail step for each child that settled", () => {
    const { set, trail } = settleDelegations({}, answers(ok(), failing({ dispatchId: "2", args: { n: 2 } })), 7);

    expect(set).toEqual({
      failedDelegations: [
        {
          workflow: "check",
          kind: "raised",
          state: "work",
          args: { n: 2 },
          reason: "It was too late.",
          batchAt: 7,
        },
      ],
    });
    expect(trail).toEqual([
      { to: "work", kind: "sub-workflow", workflow: "check", status: "ok", ts: 5 },
      { to: "work", kind: "sub-workflow", workflow: "check", status: "error", reason: "It was too late.", ts: 5 },
    ]);
  });

  it("R-191 R-192 R-195 keeps parked children in the order of their calls, behind those that wait already, with no step in the trail", () => {
    const waiting = { sessionId: "s~1" } as PendingDelegation;
    const batch = answers(
      call({ kind: "parked", park }, { dispatchId: "2" }),
      ok({ dispatchId: "3" }),
      call({ kind: "parked", park }, { dispatchId: "4" }),
    );
    const { set, trail } = settleDelegations({ pendingDelegations: [waiting] }, batch, 7);

    expect(set.pendingDelegations?.map(({ sessionId, callId }) => [sessionId, callId])).toEqual([
      ["s~1", undefined],
      ["s~2", "c0"],
      ["s~4", "c2"],
    ]);
    expect(set.pendingDelegations?.[1]).toEqual({
      workflow: "check",
      sessionId: "s~2",
      dispatchId: "2",
      callId: "c0",
      state: "work",
      args: { n: 1 },
      park,
      batchAt: 7,
    });
    expect(trail).toMatchObject([{ status: "ok" }]);
    expect(trail).toHaveLength(1);
  });

  it("R-179 counts the numbers that scripts gave out, and never back", () => {
    const scripted: CallAnswer = { callId: "c", tool: "archmax_eval", text: "", status: "success", dispatched: 4 };

    expect(settleDelegations({ dispatchCount: 2 }, [scripted], 7).set).toEqual({ dispatchCount: 4 });
    expect(settleDelegations({ dispatchCount: 6 }, [scripted], 7).set).toEqual({ dispatchCount: 6 });
  });

  it("R-187 keeps the trail of a script's calls and records nothing for them", () => {
    const trail = [{ to: "work", kind: "sub-workflow", workflow: "check", status: "error", ts: 3 }] as const;
    const scripted: CallAnswer = { callId: "c", tool: "archmax_eval", text: "", status: "success", trail: [...trail] };

    expect(settleDelegations({}, [scripted], 7)).toEqual({ set: {}, trail });
  });
});

describe("R-188 recovery", () => {
  const left = (failed: FailedDelegation[], ...calls: DelegatedCall[]) =>
    settleDelegations({ failedDelegations: failed }, answers(...calls), 7).set.failedDelegations ?? failed;

  it("R-188 takes the failure with equal arguments, whatever the order of their keys", () => {
    const oldest = recorded(1, { args: { a: 1, b: { c: [1] } } });
    const equal = recorded(2, { args: { b: { c: [2] }, a: 1 } });

    expect(left([oldest, equal], ok({ args: { a: 1, b: { c: [2] } } }))).toEqual([oldest]);
  });

  it("R-188 takes the oldest where none is equal", () => {
    const [first, second] = [recorded(1, { args: { n: 8 } }), recorded(2, { args: { n: 9 } })];

    expect(left([first, second], ok())).toEqual([second]);
  });

  it("R-188 never lets two successes recover the same failure", () => {
    expect(left([recorded(1), recorded(2), recorded(3)], ok(), ok({ dispatchId: "2" }))).toEqual([recorded(3)]);
  });

  it.each([
    ["another workflow's success", ok({ workflow: "other" })],
    ["a success in another state", ok({ state: "later" })],
    ["a failure", failing()],
    ["a park", call({ kind: "parked", park })],
  ])("R-188 recovers nothing by %s", (_what, made) => {
    expect(left([recorded(1)], made)).toContainEqual(recorded(1));
  });

  it("R-188 recovers nothing of its own message", () => {
    const { set } = settleDelegations({}, answers(failing(), ok({ dispatchId: "2" })), 7);

    expect(set.failedDelegations).toHaveLength(1);
  });
});

describe("a parked child that settles", () => {
  const entry: PendingDelegation = {
    workflow: "check",
    sessionId: "s~1",
    dispatchId: "1",
    callId: "c0",
    state: "work",
    args: { n: 1 },
    park,
    batchAt: 3,
  };

  it("R-195 removes its entry, adds the trail step, and records a failure as its call's", () => {
    const next = { ...entry, sessionId: "s~2" };
    const { set, trail } = settlePending({ pendingDelegations: [entry, next] }, failing());

    expect(set.pendingDelegations).toEqual([next]);
    expect(set.failedDelegations).toEqual([{ ...recorded(3), reason: "It was too late." }]);
    expect(trail).toMatchObject([{ kind: "sub-workflow", status: "error" }]);
  });

  it("R-195 leaves no list behind when it was the last", () => {
    expect(settlePending({ pendingDelegations: [entry] }, ok()).set).toEqual({ pendingDelegations: null });
  });

  it("R-188 recovers what failed in an earlier message than its own call, and nothing later", () => {
    const fields = { pendingDelegations: [entry], failedDelegations: [recorded(1), recorded(3), recorded(5)] };

    expect(settlePending(fields, ok()).set.failedDelegations).toEqual([recorded(3), recorded(5)]);
  });

  it.each([
    ["a sibling's failure", recorded(3)],
    ["a failure of a later message", recorded(5)],
  ])("R-188 does not recover %s, though it is all that failed", (_whose, failure) => {
    const fields = { pendingDelegations: [entry], failedDelegations: [failure] };

    expect({ ...fields, ...settlePending(fields, ok()).set }.failedDelegations).toEqual([failure]);
  });

  it("R-199 names the innermost session, and the call and state of the one that presents", () => {
    const own = { workflow: "check", sessionId: "s~1", dispatchId: "1", toolCallId: "c0", state: "work" };
    const inner = { workflow: "deep", sessionId: "s~1~2", dispatchId: "1~2", toolCallId: "x", state: "inner" };

    expect(parkDelegationOf(entry)).toEqual(own);
    expect(parkDelegationOf({ ...entry, park: { ...park, delegation: inner } })).toEqual({
      ...inner,
      toolCallId: "c0",
      state: "work",
    });
  });
});

describe("R-189 what is outstanding when the agent finishes", () => {
  it("R-170 names each failed call in order, with workflow, kind and arguments", () => {
    const fields = {
      position: "work",
      failedDelegations: [recorded(1, { args: { n: 1 } }), recorded(2, { args: { n: 2 } })],
    };
    const reason = failedDelegationsReason(fields) ?? "";

    expect(reason).toContain("check");
    expect(reason).toContain("raised");
    expect(reason.indexOf('{"n":1}')).toBeLessThan(reason.indexOf('{"n":2}'));
  });

  it("R-170 shows arguments up to 2,000 characters", () => {
    const args = { text: "a".repeat(5_000_000) };
    const reason = failedDelegationsReason({ position: "work", failedDelegations: [{ ...recorded(1), args }] }) ?? "";

    expect(reason).toContain("a… (cut, 5000011 characters)");
    expect(reason.length).toBeLessThan(2_500);
  });

  it("R-189 is nothing where no call failed in this state", () => {
    expect(failedDelegationsReason({ position: "work" })).toBeNull();
    expect(failedDelegationsReason({ position: "later", failedDelegations: [recorded(1)] })).toBeNull();
  });
});
