import type { Checkpoint, CheckpointMetadata } from "@langchain/langgraph-checkpoint";
import { describe, expect, it } from "vitest";
import { packCheckpoint, type UnpackedCheckpoint, unpackCheckpoint } from "./checkpoint-text.js";

const usual: UnpackedCheckpoint = {
  checkpoint: {
    v: 4,
    id: "1f1ed148-8974-65a0-8006-ecc4b8bb9e20",
    ts: "2026-11-30T23:19:47.194Z",
    channel_values: { __pregel_tasks: [{ lg_name: "Send", node: "tool", args: { callId: "call_3" } }] },
    channel_versions: { __start__: 2, session: 8, "branch:to:open": 3, "branch:to:model": 8, __pregel_tasks: 8 },
    versions_seen: {
      __input__: {},
      __start__: { __start__: 1 },
      open: { "branch:to:open": 2 },
      model: { "branch:to:model": 7 },
      tool: {},
    },
  },
  metadata: metadata({
    source: "loop",
    step: 6,
    parents: {},
    delta_writes_versioned: true,
    counters_since_delta_snapshot: { session: [7, 8] },
  }),
  parent: 7,
};

describe("a checkpoint's stored form", () => {
  it.each<[string, UnpackedCheckpoint]>([
    ["a step of a turn", usual],
    ["one without parents and marks", { ...usual, metadata: metadata({ source: "fork", step: -1 }), parent: null }],
    [
      "one with parents",
      {
        ...usual,
        metadata: metadata({ source: "update", step: 1, parents: { a: "b" }, delta_writes_versioned: false }),
      },
    ],
    ["another version", { ...usual, checkpoint: { ...usual.checkpoint, v: 1 } }],
    ["a time of another form", { ...usual, checkpoint: { ...usual.checkpoint, ts: "2026-11-30T23:19:47+01:00" } }],
    [
      "names that look like short ones",
      {
        ...usual,
        checkpoint: {
          ...usual.checkpoint,
          channel_values: { "<": 1, ">x": 2, "=": 3, "*": 4, "^y": 5, "branch:to:": 6 },
          channel_versions: { "branch:to:a": "v1", "branch:to:=b": 2 },
          versions_seen: {
            "branch:to:x": { "branch:to:x": 1 },
            a: { "branch:to:a": "v1" },
            b: { "branch:to:b": 1, c: 2 },
          },
        },
      },
    ],
    [
      "tasks of another form",
      {
        ...usual,
        checkpoint: {
          ...usual.checkpoint,
          channel_values: { __pregel_tasks: [{ lg_name: "Send", node: "a", args: 1, timeout: 5 }, { x: 1 }] },
        },
      },
    ],
    [
      "an empty one with a field of its own",
      { ...usual, checkpoint: checkpointWith({ updated_channels: ["session"] }) },
    ],
  ])("gives back %s as it was", (_, given) => {
    const stored = JSON.parse(JSON.stringify(packCheckpoint(given)));

    expect(unpackCheckpoint(stored)).toEqual(given);
  });

  it("S-77 is well shorter than the checkpoint itself", () => {
    const plain = JSON.stringify({ c: usual.checkpoint, m: usual.metadata, p: usual.parent });

    expect(JSON.stringify(packCheckpoint(usual)).length).toBeLessThan(0.65 * plain.length);
  });
});

function metadata(value: object): CheckpointMetadata {
  return value as CheckpointMetadata;
}

function checkpointWith(fields: object): Checkpoint {
  const { v, id, ts } = usual.checkpoint;
  return { v, id, ts, channel_values: {}, channel_versions: {}, versions_seen: {}, ...fields };
}
