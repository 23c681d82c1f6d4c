/** Dead letters: found by age through the index, and read and kept by id. */
import type { DeadLetter } from "../../session/arrival.js";
import { compareText } from "../selection.js";
import { numberFrom, scalar } from "./attributes.js";
import type { Context } from "./carrying.js";
import { type Condition, isAbsent } from "./expressions.js";
import { letterFrom, letterItem } from "./items.js";
import { type Item, keyFrom, LETTER_SHARD, LISTING_INDEX, letterKey } from "./keys.js";
import { persistently } from "./persistently.js";
import { collect } from "./reading.js";

export async function findDeadLetters({ table, texts }: Context, now: number): Promise<DeadLetter[]> {
  const entries = await collect(table.query({ partition: LETTER_SHARD, index: LISTING_INDEX }));
  const items = await table.get(entries.map(keyFrom));
  const unexpired = items.filter((item) => !isExpired(item, now));
  const letters = await Promise.all(unexpired.map((item) => letterFrom(texts, item)));
  return letters.sort((a, b) => a.at - b.at || compareText(a.id, b.id));
}

export async function findDeadLetter({ table, texts }: Context, id: string, now: number): Promise<DeadLetter | null> {
  const [item] = await table.get([letterKey(id)]);
  return item === undefined || isExpired(item, now) ? null : letterFrom(texts, item);
}

/** S-93: one request, and another where a letter is there already; that one stays. */
export async function keepLetter({ table, texts, sleep }: Context, letter: DeadLetter): Promise<DeadLetter> {
  const put = await letterItem(texts, letter);
  return persistently("keep a dead letter", sleep, async () => {
    const refusal = await table.transact([{ put, condition: isAbsentOrExpired(letter.at) }]);
    if (refusal === null) return letter;
    const known = refusal.get(0);
    return known === undefined ? null : letterFrom(texts, known);
  });
}

/** F-55: the service removes what has expired when it likes. */
function isExpired(item: Item, now: number): boolean {
  return numberFrom(item.expiresAt) <= now;
}

function isAbsentOrExpired(now: number): Condition {
  return {
    text: `${isAbsent.text} OR #expiresAt <= :isNow`,
    names: { ...isAbsent.names, "#expiresAt": "expiresAt" },
    values: { ":isNow": scalar(now) },
  };
}
