/** Pages of lists that come latest first, and whose rows move to the front while they are read (N-15). */
import { InvalidRequestError } from "./errors.js";

export interface Page<Row> {
  items: Row[];
  nextCursor?: string;
}

/** Where a row stands in its list; times are epoch milliseconds. */
export interface RowKey {
  id: string;
  createdAt: number;
  updatedAt: number;
}

/** A cursor's content. */
interface Place {
  /** The latest activity there was when the first page was read. */
  startedAt: number;
  /** The last row shown, or none. */
  updatedAt: number;
  id: string;
  /** Rows shown so far, which is how far to read at least. */
  shown: number;
  /** The way down is done: now come the rows that went up meanwhile, the earliest first. */
  isGoingUp: boolean;
}

/**
 * The page after the cursor, first down the list, then up through the rows that moved to its front after the first page:
 * so none that was there then is skipped, and one that was updated meanwhile may come again (N-15).
 *
 * @param read - rows from the front of the list, as many as asked for or all of them
 */
export async function pageOf<Row>(
  read: (count: number) => Promise<Row[]>,
  { limit, cursor, keyOf }: { limit: number; cursor?: string; keyOf: (row: Row) => RowKey },
): Promise<Page<Row>> {
  const place = cursor === undefined ? null : placeFrom(cursor);
  if (place?.isGoingUp) return upwards(read, place, { limit, keyOf });

  let count = (place?.shown ?? 0) + limit + 1;
  let rows = await read(count);
  const isLeft = (row: Row) => place === null || comesAfter(keyOf(row), place);
  while (rows.length >= count && rows.filter(isLeft).length <= limit) {
    count *= 2;
    rows = await read(count);
  }
  const left = rows.filter(isLeft);
  const items = left.slice(0, limit);
  const startedAt = place?.startedAt ?? (rows[0] ? keyOf(rows[0]).updatedAt : 0);
  const last = items.at(-1);
  if (left.length > limit && last !== undefined) {
    const shown = (place?.shown ?? 0) + items.length;
    return { items, nextCursor: cursorTo({ ...keyOf(last), startedAt, shown, isGoingUp: false }) };
  }
  const next: Place = { startedAt, updatedAt: startedAt, id: "", shown: 0, isGoingUp: true };
  return rows.some((row) => wentUp(keyOf(row), next)) ? { items, nextCursor: cursorTo(next) } : { items };
}

async function upwards<Row>(
  read: (count: number) => Promise<Row[]>,
  place: Place,
  { limit, keyOf }: { limit: number; keyOf: (row: Row) => RowKey },
): Promise<Page<Row>> {
  let count = 2 * limit;
  let rows = await read(count);
  while (rows.length >= count && keyOf(rows[rows.length - 1] as Row).updatedAt > place.startedAt) {
    count *= 2;
    rows = await read(count);
  }
  const left = rows.filter((row) => wentUp(keyOf(row), place)).reverse();
  const items = left.slice(0, limit);
  const last = items.at(-1);
  if (left.length <= limit || last === undefined) return { items };
  return { items, nextCursor: cursorTo({ ...place, ...keyOf(last) }) };
}

/** The order of lists: equal times by id. */
export function latestFirst(a: Pick<RowKey, "id" | "updatedAt">, b: Pick<RowKey, "id" | "updatedAt">): number {
  return b.updatedAt - a.updatedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

function comesAfter(key: RowKey, place: Place): boolean {
  return latestFirst(key, place) > 0;
}

/** There from the start, active since, and not shown on the way up yet. */
function wentUp(key: RowKey, { startedAt, updatedAt, id }: Place): boolean {
  if (key.createdAt > startedAt || key.updatedAt <= startedAt) return false;
  return key.updatedAt > updatedAt || (key.updatedAt === updatedAt && key.id < id);
}

function cursorTo({ startedAt, updatedAt, id, shown, isGoingUp }: Place): string {
  return Buffer.from(JSON.stringify([startedAt, updatedAt, id, shown, isGoingUp])).toString("base64url");
}

function placeFrom(cursor: string): Place {
  const [startedAt, updatedAt, id, shown, isGoingUp] = partsOf(cursor);
  const numbers = [startedAt, updatedAt, shown];
  const isPlace =
    numbers.every((part) => Number.isSafeInteger(part) && (part as number) >= 0) &&
    typeof id === "string" &&
    typeof isGoingUp === "boolean";
  if (isPlace) {
    return { startedAt, updatedAt, id, shown, isGoingUp } as Place;
  }
  const issue = { pointer: "/cursor", code: "invalid", detail: "It must be a nextCursor that this list gave." };
  throw new InvalidRequestError("The cursor is not one of this list's.", [issue]);
}

function partsOf(cursor: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
