import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pageOf, type RowKey } from "./paging.js";

/** A list whose rows go to its front when they are touched. */
function aList(count: number) {
  let now = 1000;
  const rows: RowKey[] = [];
  const touch = (id: string) => {
    now += 1;
    const row = rows.find((other) => other.id === id);
    if (row) row.updatedAt = now;
    else rows.push({ id, createdAt: now, updatedAt: now });
  };
  for (let n = 0; n < count; n += 1) touch(`row-${n}`);
  const read = async (most: number) =>
    [...rows].sort((a, b) => b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : 1)).slice(0, most);
  const page = (limit: number, cursor?: string) =>
    pageOf(read, { limit, keyOf: (row) => row, ...(cursor === undefined ? {} : { cursor }) });
  return { rows, touch, page };
}

describe("pageOf", () => {
  it("N-15 shows every row once while nothing moves", async () => {
    const { page } = aList(7);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await page(3, cursor);
      seen.push(...items.map(({ id }) => id));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(["row-6", "row-5", "row-4", "row-3", "row-2", "row-1", "row-0"]);
  });

  it("N-15 skips no row that was there at the start, whatever is updated between two pages", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 25 }),
        fc.integer({ min: 1, max: 6 }),
        fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 4 }), { maxLength: 10 }),
        async (count, limit, touches) => {
          const list = aList(count);
          const wanted = new Set(list.rows.map(({ id }) => id));
          const seen: string[] = [];
          let cursor: string | undefined;
          for (let turn = 0; turn === 0 || cursor !== undefined; turn += 1) {
            const { items, nextCursor } = await list.page(limit, cursor);
            expect(items.length).toBeLessThanOrEqual(limit);
            seen.push(...items.map(({ id }) => id));
            cursor = nextCursor;
            for (const n of touches[turn] ?? []) list.touch(`row-${n}`);
          }
          // What moved after the very last page was read was shown before it moved.
          for (const id of wanted) expect(seen).toContain(id);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each(["", "x", "W10", "WzEsMiwzLDQsNV0", "bnVsbA", "WzEsMSwiYSIsLTEsZmFsc2Vd"])(
    "N-15 refuses %j, which is no cursor of its",
    async (cursor) => {
      await expect(aList(3).page(2, cursor)).rejects.toMatchObject({ code: "invalid-request" });
    },
  );
});
