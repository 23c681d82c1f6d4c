/** Large values that no item names (S-79): left by a crash between value and item, or by an item that was replaced. */
import type { SessionStore } from "../../session/ports.js";
import type { Context } from "./carrying.js";
import {
  type Item,
  isReceiptName,
  keyFrom,
  letterPrefix,
  receiptKey,
  recordSortKey,
  sessionPartition,
} from "./keys.js";
import { collect } from "./reading.js";
import { valueNameIn } from "./texts.js";

type Request = Parameters<NonNullable<SessionStore["removeOrphans"]>>[0];

/**
 * Looks at one page of values. A value that is old enough and that no item of its area names is removed: a name is given
 * once, so no later item comes to have it (see texts.ts).
 */
export async function removeOrphans(
  context: Context,
  { before, after, limit }: Request,
): Promise<{ removed: number; after: string | null }> {
  if (!context.large) return { removed: 0, after: null };
  const entries = await context.large.list({ after, limit });
  const named = new Map<string, Promise<Set<string> | null>>();
  let removed = 0;
  for (const { area, name, modifiedAt } of entries) {
    if (modifiedAt > before) continue;
    if (!named.has(area)) named.set(area, namesIn(context, area));
    const names = await named.get(area);
    if (!names || names.has(name)) continue;
    await context.large.remove(area, name);
    removed += 1;
  }
  return { removed, after: entries.length < limit ? null : (entries.at(-1)?.cursor ?? null) };
}

/** Null where it cannot be told now: a large commit names its values within its content until it is carried out. */
async function namesIn({ table }: Context, area: string): Promise<Set<string> | null> {
  const isSession = area.startsWith(sessionPartition(""));
  if (!isSession && !area.startsWith(letterPrefix)) return null;
  const items = await collect(table.query({ partition: area }));
  if (items.some((item) => item.pending !== undefined)) return null;
  const receipts = items.filter(isReceiptName).map((item) => receiptKey(String(item.arrivalId?.S)));
  // Names are read before the record is looked at once more: a commit that was named meanwhile changes it.
  const named = [...items, ...(await table.get(receipts))].flatMap(namesOf);
  const record = items.find((item) => item.sk?.S === recordSortKey && isSession);
  if (record) {
    const [now] = await table.get([keyFrom(record)]);
    if (now?.rev?.N !== record.rev?.N) return null;
  }
  return new Set(named);
}

function namesOf(item: Item): string[] {
  return Object.values(item).flatMap((attribute) => valueNameIn(attribute) ?? []);
}
