import { describe, expect, it } from "vitest";
import { applyPatches, emptyState, withoutIdleClears } from "./fold.js";
import type { SessionPatch } from "./state.js";

describe("patches without idle clears", () => {
  const parked = applyPatches(emptyState(), [
    { set: { status: "awaiting_input", parkPhase: "suspended", stepsUsed: 3 } },
  ]);

  it.each<[string, SessionPatch[], SessionPatch[]]>([
    ["a field that is not set", [{ set: { exit: null, stepsUsed: 0 } }], [{ set: { stepsUsed: 0 } }]],
    ["a field that is set", [{ set: { parkPhase: null } }], [{ set: { parkPhase: null } }]],
    [
      "a field that an earlier patch sets",
      [{ set: { limit: "x" } }, { set: { limit: null } }],
      [{ set: { limit: "x" } }, { set: { limit: null } }],
    ],
    ["nothing else to set", [{ set: { exit: null }, messages: [] }], [{ messages: [] }]],
    ["answers in between", [{ answers: [], set: { exit: null } }], [{ answers: [], set: { exit: null } }]],
  ])("S-77 stores what a step changed: %s", (_, patches, lean) => {
    expect(withoutIdleClears(parked, patches)).toEqual(lean);
    expect(applyPatches(parked, withoutIdleClears(parked, patches))).toEqual(applyPatches(parked, patches));
  });
});
