import { describe, expect, it } from "vitest";
import { composeHandoffText, type ParkedNotice, renderParkedBlock, stateOf } from "../index.js";
import { aMachine } from "../testing.js";

const render = (notice: ParkedNotice) => renderParkedBlock({ clock: "CLOCK", notice });

describe("renderParkedBlock", () => {
  it.each<[ParkedNotice, RegExp]>([
    [{ kind: "reply" }, /decision is pending, and a person has just written/],
    [{ kind: "handoff" }, /work has just been handed over/],
    [{ kind: "waiting", reason: "the parcel\narrives" }, /waits for an event\. Reason given: the parcel arrives/],
    [{ kind: "routed" }, /runtime note routed the session here/],
  ])("R-106 states which of the four parks %j is", (notice, fact) => {
    const others = (["reply", "handoff", "routed"] as const).filter((kind) => kind !== notice.kind);

    expect(render(notice)).toMatch(fact);
    for (const kind of others) expect(render({ kind })).not.toMatch(fact);
  });

  it("R-105 W-272 is the clock, that the session is parked, and that only text is possible", () => {
    for (const notice of [{ kind: "reply" }, { kind: "waiting", reason: "r" }] as const) {
      expect(render(notice)).toMatch(/^CLOCK\n\n## This session is parked\n\n/);
      expect(render(notice)).toMatch(/Answer in text only/);
      expect(render(notice)).not.toMatch(/archmax_|Ways out|Variables|Contract/);
    }
  });
});

describe("composeHandoffText", () => {
  const machine = aMachine({
    review: { type: "human", title: " Review it ", instructions: "Decide.\n" },
    plain: { type: "human", instructions: "Decide." },
  });

  it("W-82 R-100 is the title, else the slug, and the instructions", () => {
    expect(composeHandoffText(stateOf(machine, "review")!)).toBe("Review it\n\nDecide.");
    expect(composeHandoffText(stateOf(machine, "plain")!)).toBe("plain\n\nDecide.");
  });
});
