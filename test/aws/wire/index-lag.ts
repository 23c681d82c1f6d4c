/** A secondary index that is behind its table, as the real ones are: what was just written is not found by it yet. */
import type { Call } from "./calls.js";

interface Keyed {
  pk?: { S?: string };
  sk?: { S?: string };
}

export function indexLag() {
  let lagMs = 0;
  const writtenAt = new Map<string, number>();

  function written(key: Keyed | undefined): void {
    if (key?.pk) writtenAt.set(nameOf(key), Date.now());
  }

  return {
    set(ms: number) {
      lagMs = ms;
      writtenAt.clear();
    },
    /** Takes note of a write, and leaves out of an index's answer what is too fresh for it. */
    seen(call: Call, body: Buffer): Buffer {
      if (lagMs === 0 || call.service !== "dynamodb") return body;
      const { input } = call;
      written((input.Key ?? input.Item) as Keyed | undefined);
      for (const item of (input.TransactItems ?? []) as Record<string, { Key?: Keyed; Item?: Keyed }>[]) {
        for (const { Key, Item } of Object.values(item)) written(Key ?? Item);
      }
      if (input.IndexName === undefined) return body;
      const answer = JSON.parse(body.toString()) as { Items?: Keyed[]; Count?: number };
      const since = Date.now() - lagMs;
      const Items = answer.Items?.filter((item) => (writtenAt.get(nameOf(item)) ?? 0) <= since);
      return Buffer.from(JSON.stringify({ ...answer, Items, Count: Items?.length }));
    },
  };
}

function nameOf({ pk, sk }: Keyed): string {
  return JSON.stringify([pk?.S, sk?.S]);
}
