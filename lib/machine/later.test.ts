import { describe, expect, it } from "vitest";
import { usesLater } from "./index.js";
import { aMachine } from "./testing.js";

describe("usesLater", () => {
  it("finds nothing in a workflow that relies on the default tools", () => {
    const machine = aMachine(
      {
        a: { tools: { allow: ["read_file"], forbid: ["archmax_eval"] }, skills: { allow: [], forbid: ["x"] } },
        b: { type: "code" },
        g: { type: "grader" },
      },
      { skills: { allow_always: [] }, mounts: { forbid_always: ["kb"] } },
    );

    expect(usesLater(machine)).toEqual([]);
  });

  it("names the feature, the state and the key of every explicit use", () => {
    const machine = aMachine(
      {
        a: {
          tools: { allow: ["ls", { tool: "archmax_run", paths: "skills/x/**" }, "archmax_eval"] },
          skills: { allow: ["x"] },
          mounts: { allow: [{ mount: "kb", access: "read" }] },
        },
      },
      { tools: { allow_always: ["archmax_eval"] } },
    );

    expect(usesLater(machine)).toEqual([
      { feature: "archmax_eval", where: "tools.allow_always.0" },
      { feature: "archmax_run", where: "states.a.tools.allow.1", state: "a" },
      { feature: "archmax_eval", where: "states.a.tools.allow.2", state: "a" },
    ]);
  });
});
