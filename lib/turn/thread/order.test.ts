import { compareWritesSortKeys, writesSortKey } from "@langchain/langgraph-checkpoint";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { inStepOrder } from "../../session/thread/layout.js";

const path = fc.oneof(
  fc.constantFrom(
    "",
    "~__pregel_pull, a",
    "~__pregel_push, 0000000001",
    "\u{1f600}",
    "\uffff",
    "a\u{1f600}b",
    "a\uffff",
  ),
  fc.string({ unit: "binary", maxLength: 4 }),
);

describe("the writes of one step", () => {
  it("are read back in the order in which the graph applied them", () => {
    const stored = fc.record({
      taskId: path,
      taskPath: path,
      indices: fc.uniqueArray(fc.integer({ min: -4, max: 3 })),
    });

    fc.assert(
      fc.property(fc.array(stored, { maxLength: 6 }), (tasks) => {
        const entries = tasks.map(({ taskId, taskPath, indices }, counter) => ({
          counter,
          taskId,
          taskPath,
          writes: indices.map((index): [number, string, unknown] => [index, "session", [taskPath, taskId, index]]),
        }));
        const keys = entries.flatMap(({ taskId, taskPath, writes }) =>
          writes.map(([index]) => writesSortKey(taskPath, taskId, index)),
        );

        expect(inStepOrder(entries).map((write) => write[2])).toEqual([...keys].sort(compareWritesSortKeys));
      }),
    );
  });
});
