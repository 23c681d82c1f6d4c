import { expect, it } from "vitest";
import type { DueEntry } from "../../session/ports.js";
import { dueOnly } from "./own-due.js";

const ENTRIES: DueEntry[] = Array.from({ length: 7 }, (_, index) => ({ sessionId: `s${index}`, dueAt: index }));

function aStore() {
  return {
    async due(before: number, { limit, after }: { limit: number; after?: DueEntry }): Promise<DueEntry[]> {
      const left = ENTRIES.filter(({ dueAt }) => dueAt <= before && dueAt > (after?.dueAt ?? -1));
      return left.slice(0, limit);
    },
  };
}

it("C-74 the demo's sweep finds its own session behind pages of others, and none of those", async () => {
  const store = dueOnly(aStore(), "s5");

  expect(await store.due(100, { limit: 2 })).toEqual([{ sessionId: "s5", dueAt: 5 }]);
  expect(await store.due(100, { limit: 2, after: { sessionId: "s5", dueAt: 5 } })).toEqual([]);
  expect(await store.due(4, { limit: 2 })).toEqual([]);
});
