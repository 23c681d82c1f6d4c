/** What the clients of the services ask for: requests, bytes, capacity units and the time that somebody waits for them. */

export interface Meter {
  /** Watches a client of the SDK; call it once for each. */
  watch<Client extends Watchable>(service: string, client: Client): Client;
  /** All since the last look. */
  take(): Usage;
}

export interface Usage {
  requests: MeteredRequest[];
  /** Milliseconds in which at least one request was under way. */
  waitedMs: number;
}

export interface MeteredRequest {
  service: string;
  /** `TransactWriteItems`, `PutObject`, … */
  name: string;
  /** Of the request's body, without what the meter itself asks for. */
  bytes: number;
  /** DynamoDB's own count: of the table and of its indexes. */
  units: { table: number; indexes: number };
}

interface Watchable {
  // biome-ignore lint/suspicious/noExplicitAny: every client's stack has types of its own, and this uses none of them.
  middlewareStack: { add(middleware: any, options: any): void };
}

const ASKED = { ReturnConsumedCapacity: "INDEXES" };
const ASKED_BYTES = JSON.stringify(ASKED).length - 1;

interface Capacity {
  CapacityUnits?: number;
  Table?: { CapacityUnits?: number };
}

export function createMeter(): Meter {
  let requests: MeteredRequest[] = [];
  let underWay = 0;
  let since = 0;
  let waitedMs = 0;

  async function during<Result>(work: () => Promise<Result>): Promise<Result> {
    if (underWay === 0) since = performance.now();
    underWay += 1;
    try {
      return await work();
    } finally {
      underWay -= 1;
      if (underWay === 0) waitedMs += performance.now() - since;
    }
  }

  return {
    watch(service, client) {
      const isMetered = service === "dynamodb";
      type Args = { input: Record<string, unknown>; request: { body?: string | Uint8Array } };
      type Next = (args: Args) => Promise<{ output: { ConsumedCapacity?: Capacity | Capacity[] } }>;
      const command = (next: Next, context: { commandName?: string }) => async (args: Args) => {
        const request = { service, name: String(context.commandName).replace(/Command$/, ""), bytes: 0 };
        const result = await during(() => next(isMetered ? { ...args, input: { ...args.input, ...ASKED } } : args));
        requests.push({ ...request, bytes: sizes.get(context) ?? 0, units: unitsOf(result.output.ConsumedCapacity) });
        return result;
      };
      const sizes = new WeakMap<object, number>();
      const body = (next: Next, context: object) => (args: Args) => {
        const asked = isMetered ? ASKED_BYTES : 0;
        sizes.set(context, Buffer.byteLength(args.request.body ?? "") - asked);
        return next(args);
      };
      client.middlewareStack.add(command, { step: "initialize", name: "meter-command" });
      client.middlewareStack.add(body, { step: "build", name: "meter-body" });
      return client;
    },
    take() {
      const taken = { requests, waitedMs };
      requests = [];
      waitedMs = 0;
      return taken;
    },
  };
}

function unitsOf(consumed: Capacity | Capacity[] | undefined): MeteredRequest["units"] {
  const units = { table: 0, indexes: 0 };
  for (const { CapacityUnits = 0, Table } of [consumed ?? []].flat()) {
    const table = Table?.CapacityUnits ?? CapacityUnits;
    units.table += table;
    units.indexes += CapacityUnits - table;
  }
  return units;
}

const READING = /^(Get|BatchGet|Query|Scan|TransactGet|List|Head|Receive)/;

export interface Sums {
  requests: number;
  /** Bodies of the requests that write. */
  writtenBytes: number;
  writeUnits: number;
  indexUnits: number;
  readUnits: number;
}

/** @param service - one service's requests only */
export function sumsOf({ requests }: Usage, service?: string): Sums {
  const sums: Sums = { requests: 0, writtenBytes: 0, writeUnits: 0, indexUnits: 0, readUnits: 0 };
  for (const request of requests) {
    if (service !== undefined && request.service !== service) continue;
    sums.requests += 1;
    if (READING.test(request.name)) {
      sums.readUnits += request.units.table + request.units.indexes;
      continue;
    }
    sums.writtenBytes += request.bytes;
    sums.writeUnits += request.units.table;
    sums.indexUnits += request.units.indexes;
  }
  return sums;
}
