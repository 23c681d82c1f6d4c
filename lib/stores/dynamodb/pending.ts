/**
 * Commits that do not fit one transaction (S-78, S-30). Their content is stored first, as one text; the record's switch
 * names it, and from then on the commit has happened. Then the content is carried to its items in pieces, each under the
 * condition that the record still names it, and the name is taken off.
 *
 *     content stored → record names it (the commit) → pieces → name taken off
 *
 * Whoever meets a record that names something carries it out to the end before doing anything else, readers included, so
 * nobody sees the session in between. Pieces may be written twice; a former owner's come to nothing once the name is off.
 */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import type { ReceiptChange } from "../../session/protocol/index.js";
import { jsonText, sizeOf } from "./attributes.js";
import { type Context, receiptEntries, transactTolerant } from "./carrying.js";
import { type Entry, hasPending } from "./expressions.js";
import { inboxKey, recordKey, sessionPartition, threadItemKey } from "./keys.js";
import { SHARED_INLINE_BYTES, type Texts } from "./texts.js";

/** What is told of a commit's content: thread items as they are to be written, their large values stored already. */
export interface Apart {
  puts: { key: string; value: AttributeValue }[];
  removes: string[];
  inboxRemoves: number[];
  receiptChanges: ReceiptChange[];
}

/** Stays clear of the service's 100 items and 4 MB. */
const PIECE_ITEMS = 80;
const PIECE_BYTES = 3_000_000;

/** Stores a commit's content: in the record itself when it is many small things, else as a large value. */
export function storePending(texts: Texts, sessionId: string, apart: Apart): Promise<AttributeValue> {
  return texts.put(sessionPartition(sessionId), jsonText(apart, "commit"), SHARED_INLINE_BYTES);
}

/** Carries a named commit out to its end; returns as well when somebody else has. */
export async function carryOutPending(context: Context, sessionId: string, pending: AttributeValue): Promise<void> {
  const { table, texts } = context;
  const isNamed = hasPending(pending);
  const of = { sessionId, key: "pending" };
  const apart = JSON.parse(await texts.get(sessionPartition(sessionId), pending, of)) as Apart;
  const check: Entry = { check: recordKey(sessionId), condition: isNamed };
  for await (const piece of pieces(context, sessionId, apart)) {
    if (await transactTolerant(table, [check, ...piece])) return;
  }
  await table.update({ key: recordKey(sessionId), set: { pending: null }, raisesRevision: true }, isNamed);
}

/** Items are made as they are needed, so that a large commit is not held in memory twice. */
async function* pieces({ texts }: Context, sessionId: string, apart: Apart): AsyncGenerator<Entry[]> {
  let piece: Entry[] = [];
  let bytes = 0;
  for await (const { entry, size } of entriesOf()) {
    if (piece.length >= PIECE_ITEMS || bytes + size > PIECE_BYTES) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(entry);
    bytes += size;
  }
  if (piece.length > 0) yield piece;

  async function* entriesOf(): AsyncGenerator<{ entry: Entry; size: number }> {
    for (const { key, value } of apart.puts) {
      const put = { ...threadItemKey(sessionId, key), value };
      yield { entry: { put }, size: sizeOf(put) };
    }
    for (const key of apart.removes) yield { entry: { remove: threadItemKey(sessionId, key) }, size: 0 };
    for (const seq of apart.inboxRemoves) yield { entry: { remove: inboxKey(sessionId, seq) }, size: 0 };
    for (const entry of await receiptEntries(texts, sessionId, apart.receiptChanges)) yield { entry, size: 1_000 };
  }
}
