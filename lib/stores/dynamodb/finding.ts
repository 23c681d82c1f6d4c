/** Finding sessions through the indexes. An index may lag; what is handed out is read from the table. */
import type { DueEntry, SessionFilter } from "../../session/ports.js";
import type { SessionRecord } from "../../session/record.js";
import { latestFirst, matchesFilter } from "../selection.js";
import type { Context } from "./carrying.js";
import {
  DUE_INDEX,
  DUE_SHARDS,
  type Item,
  keyFrom,
  LISTING_INDEX,
  LISTING_SHARDS,
  sessionIdFrom,
  timeFrom,
  timeKey,
} from "./keys.js";
import { loadView } from "./reading.js";
import { recordFrom } from "./record-item.js";

/** Index entries read at a time. */
const LIST_PAGE = 100;
/** Sorts before every time. */
const FIRST_KEY = "0";

/** S-64: the earliest of each shard, merged. */
export async function findDue(
  { table }: Context,
  before: number,
  { limit, after }: { limit: number; after?: DueEntry },
): Promise<DueEntry[]> {
  const last = timeKey(before + 1, "");
  const passed = after && timeKey(after.dueAt, after.sessionId);
  const first = passed ?? FIRST_KEY;
  if (first > last || limit < 1) return [];
  const shards = await Promise.all(
    DUE_SHARDS.map(async (partition) => {
      const found: Item[] = [];
      const request = { partition, index: DUE_INDEX, range: [first, last] as const, pageSize: limit + 1 };
      for await (const item of table.query(request)) {
        if (item.dueKey?.S !== passed) found.push(item);
        if (found.length === limit) break;
      }
      return found;
    }),
  );
  const merged = shards.flat().sort((a, b) => compareBytes(a.dueKey?.S ?? "", b.dueKey?.S ?? ""));
  return merged
    .slice(0, limit)
    .map((item) => ({ sessionId: sessionIdFrom(item), dueAt: timeFrom(item.dueKey?.S ?? "") }));
}

/** F-56: which sessions there are may lag; each record is the present one. */
export async function findRecords(context: Context, filter: SessionFilter): Promise<SessionRecord[]> {
  const { limit = Number.POSITIVE_INFINITY } = filter;
  const found: SessionRecord[] = [];
  const seen = new Set<string>();
  let page: Item[] = [];
  for await (const item of latestEntries(context, filter)) {
    // One that moves up while it is looked for is there twice.
    if (seen.has(sessionIdFrom(item))) continue;
    seen.add(sessionIdFrom(item));
    page.push(item);
    if (page.length < Math.min(LIST_PAGE, limit)) continue;
    found.push(...(await matching(context, page, filter)));
    page = [];
    if (found.length >= limit) break;
  }
  found.push(...(await matching(context, page, filter)));
  return found.sort(latestFirst).slice(0, filter.limit);
}

async function matching(context: Context, entries: readonly Item[], filter: SessionFilter): Promise<SessionRecord[]> {
  const items = await context.table.get(entries.map(keyFrom));
  const records = await Promise.all(
    items.map((item) =>
      // The content of an arrival under way lies in the inbox.
      item.activeSeq === undefined
        ? recordFrom(context.texts, item, () => undefined)
        : loadView(context, sessionIdFrom(item)).then(({ record }) => record),
    ),
  );
  return records.filter((record) => record !== null).filter((record) => matchesFilter(record, filter));
}

/** The listing's entries of all shards, latest first. */
async function* latestEntries({ table }: Context, { status, workflow }: SessionFilter): AsyncGenerator<Item> {
  const where = { ...(status === undefined ? {} : { status }), ...(workflow === undefined ? {} : { workflow }) };
  const shards = LISTING_SHARDS.map((partition) =>
    table.query({ partition, index: LISTING_INDEX, newestFirst: true, where, pageSize: LIST_PAGE }),
  );
  const heads = await Promise.all(shards.map(async (shard) => ({ shard, next: await shard.next() })));
  while (true) {
    const open = heads.filter(({ next }) => !next.done);
    const [head] = open.sort((a, b) => compareBytes(keyOf(b.next), keyOf(a.next)));
    if (head === undefined || head.next.done) return;
    yield head.next.value;
    head.next = await head.shard.next();
  }
}

function keyOf(next: IteratorResult<Item, void>): string {
  return next.done ? "" : (next.value.listKey?.S ?? "");
}

/** The order of the service. */
function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
