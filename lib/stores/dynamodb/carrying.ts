/** What the adapter's parts share, and transactions that pass over receipts and letters that are gone. */
import type { ReceiptChange } from "../../session/protocol/index.js";
import type { Sleep } from "../backoff.js";
import { type Entry, isThere } from "./expressions.js";
import { receiptUpdate } from "./items.js";
import type { LargeValues } from "./large-values.js";
import type { Refusal, Table } from "./table.js";
import { rememberingTexts, type Texts } from "./texts.js";

/** What every part of the adapter works with. */
export interface Context {
  table: Table;
  texts: Texts;
  large: LargeValues | undefined;
  sleep: Sleep;
}

/** The context of one operation, whose writes may be made anew as often as it takes. */
export function forOperation(context: Context): Context {
  return { ...context, texts: rememberingTexts(context.texts) };
}

/** Several changes of one receipt become one, in their order. */
export async function receiptEntries(
  texts: Texts,
  sessionId: string,
  changes: readonly ReceiptChange[],
): Promise<Entry[]> {
  const merged = new Map<string, ReceiptChange>();
  for (const { arrivalId, set } of changes) {
    merged.set(arrivalId, { arrivalId, set: { ...merged.get(arrivalId)?.set, ...set } });
  }
  const updates = await Promise.all([...merged.values()].map((change) => receiptUpdate(texts, sessionId, change)));
  return updates.map((update) => ({ update, condition: isThere }));
}

/** A receipt or a dead letter that is gone is not made again, and stops nothing: its change is left out. */
export async function transactTolerant(table: Table, entries: readonly Entry[]): Promise<Refusal | null> {
  let left = [...entries];
  while (true) {
    const refusal = await table.transact(left);
    if (refusal === null) return null;
    const isGone = (entry: Entry | undefined, item: unknown) =>
      entry !== undefined && "update" in entry && entry.condition === isThere && item === undefined;
    if (![...refusal].every(([at, item]) => isGone(left[at], item))) return refusal;
    left = left.filter((_, at) => !refusal.has(at));
  }
}
