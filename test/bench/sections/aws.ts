/** The common work over DynamoDB, S3, SQS and EventBridge on the loopback, turn about with the floor. */
import { findDynamoDb } from "../../harness/dynamodb-engine.js";
import { type AwsDesk, openAwsDesk } from "../aws/desk.js";
import { createFloor, type Floor } from "../aws/floor.js";
import { createMeter, type Meter, type Sums, sumsOf, type Usage } from "../aws/meter.js";
import { profiled } from "../aws/profile.js";
import { type Services, startServices } from "../aws/services.js";
import { startModelProcess } from "../model-process.js";
import { kb, median, ms, percentile, printTable, ratio, timed } from "../report.js";
import { QUESTION } from "../work.js";

const WARM_UP = 40;
const TURNS = 150;
const PROFILED = 100;
const LONG = 100;
const SHOWN = [1, 2, 10, 50, 100];
/** A figure of turn N is the median of this many turns on each side of it. */
const AROUND = 2;

interface Run {
  name: string;
  turn(conversation: string): Promise<unknown>;
  meter: Meter;
}

export async function aws(): Promise<void> {
  const found = findDynamoDb();
  if (found === null) return;
  const services = await startServices(found);
  const model = await startModelProcess();
  const stores = await openRun(services, model.url, false);
  const told = await openRun(services, model.url, true);
  const floor = await openFloor(services, model.url);
  try {
    await firstTurns([floor, stores, told]);
    await cpuOf([floor, stores]);
    await conversation({ floor, stores, told });
  } finally {
    await stores.desk.close();
    await told.desk.close();
    model.stop();
    services.stop();
  }
}

async function openFloor(services: Services, url: string): Promise<Run & { floor: Floor }> {
  const meter = createMeter();
  const client = meter.watch("dynamodb", services.dynamoDb.client());
  const floor = createFloor({ client, table: await services.dynamoDb.table(), url });
  return { name: "floor", turn: (id) => floor.turn(id, QUESTION), meter, floor };
}

/** @param told - with the doorbell's queue and the bus */
async function openRun(services: Services, url: string, told: boolean): Promise<Run & { desk: AwsDesk }> {
  const meter = createMeter();
  const desk = await openAwsDesk(services, url, { table: await services.dynamoDb.table(), meter, told });
  return { name: told ? "parkway, doorbell and bus too" : "parkway", turn: desk.turn, meter, desk };
}

async function firstTurns(runs: readonly Run[]): Promise<void> {
  const seen = runs.map(() => ({ wall: [] as number[], cpu: [] as number[], waited: [] as number[] }));
  for (let index = -WARM_UP; index < TURNS; index += 1) {
    for (const [at, run] of runs.entries()) {
      run.meter.take();
      const { wall, cpu } = await timed(() => run.turn(`first-${index + WARM_UP}`));
      const { waitedMs } = run.meter.take();
      if (index < 0) continue;
      seen[at]?.wall.push(wall);
      seen[at]?.cpu.push(cpu);
      seen[at]?.waited.push(waitedMs);
    }
  }
  const [reference] = seen;
  printTable(`first turn of a conversation over DynamoDB (${TURNS} each, turn about)`, [
    ["", "median ms", "p99 ms", "to the floor", "CPU ms", "in requests ms", "else ms"],
    ...seen.map(({ wall, cpu, waited }, at) => [
      runs[at]?.name ?? "",
      ms(median(wall)),
      ms(percentile(wall, 0.99)),
      ratio(median(wall), median(reference?.wall ?? [])),
      ms(median(cpu)),
      ms(median(waited)),
      ms(median(wall.map((value, turn) => value - (waited[turn] ?? 0)))),
    ]),
  ]);
}

/** Whose code the CPU time of a turn is, of all threads' main one. */
async function cpuOf(runs: readonly Run[]): Promise<void> {
  const profiles: Map<string, number>[] = [];
  for (const run of runs) {
    const parts = await profiled(async () => {
      for (let index = 0; index < PROFILED; index += 1) await run.turn(`profiled-${index}`);
    });
    profiles.push(new Map(parts));
  }
  const names = [...new Set(profiles.flatMap((parts) => [...parts.keys()]))];
  const of = (name: string) => profiles.map((parts) => (parts.get(name) ?? 0) / PROFILED);
  const shown = names.filter((name) => Math.max(...of(name)) >= 0.1);
  shown.sort((a, b) => (of(b).at(-1) ?? 0) - (of(a).at(-1) ?? 0));
  printTable(`CPU ms per turn by code (profile of ${PROFILED} turns)`, [
    ["", ...runs.map(({ name }) => name)],
    ...shown.map((name) => [name, ...of(name).map((value) => value.toFixed(2))]),
    ["all", ...profiles.map((parts) => ms([...parts.values()].reduce((a, b) => a + b, 0) / PROFILED))],
  ]);
}

/** One conversation, and what its turns ask for: exact, and the same in every run. */
async function conversation(runs: { floor: Run; stores: Run; told: Run }): Promise<void> {
  const all = [runs.floor, runs.stores, runs.told];
  const turns: { wall: number; usage: Usage }[][] = all.map(() => []);
  for (let index = 0; index < LONG + AROUND; index += 1) {
    for (const [at, run] of all.entries()) {
      run.meter.take();
      const { wall } = await timed(() => run.turn("long"));
      turns[at]?.push({ wall, usage: run.meter.take() });
    }
  }
  const [floor = [], stores = [], told = []] = turns;
  const shown = (of: typeof floor) => SHOWN.map((turn) => of[turn - 1]?.usage ?? { requests: [], waitedMs: 0 });
  const row = (name: string, of: typeof floor, cell: (sums: Sums) => string | number, service = "dynamodb") => [
    name,
    ...shown(of).map((usage) => cell(sumsOf(usage, service))),
  ];
  const around = (of: typeof floor, turn: number) =>
    median(of.slice(Math.max(0, turn - 1 - AROUND), turn + AROUND).map(({ wall }) => wall));
  const first = sumsOf(shown(stores)[0]!).writtenBytes;
  const requests = (of: typeof floor) => {
    const names = [...new Set(shown(of).flatMap((usage) => usage.requests.map(({ name }) => name)))];
    return names.map((name) => [
      `  ${name}`,
      ...shown(of).map((usage) => usage.requests.filter((request) => request.name === name).length),
    ]);
  };
  printTable("one conversation, what its turns ask for", [
    ["turn", ...SHOWN],
    ["requests", ...shown(stores).map((usage) => usage.requests.length)],
    ...requests(stores),
    row("written to DynamoDB (request bodies)", stores, (sums) => kb(sums.writtenBytes)),
    row("  to turn 1", stores, (sums) => ratio(sums.writtenBytes, first)),
    row("write units, table", stores, (sums) => sums.writeUnits),
    row("write units, indexes", stores, (sums) => sums.indexUnits),
    row("read units", stores, (sums) => sums.readUnits),
    ["with doorbell and bus, requests", ...shown(told).map((usage) => usage.requests.length)],
    ...requests(told),
    row("write units, table", told, (sums) => sums.writeUnits),
    row("write units, indexes", told, (sums) => sums.indexUnits),
    row("read units", told, (sums) => sums.readUnits),
    ["floor, requests", ...shown(floor).map((usage) => usage.requests.length)],
    row("floor, written", floor, (sums) => kb(sums.writtenBytes)),
    row("floor, write units", floor, (sums) => sums.writeUnits),
    row("floor, read units", floor, (sums) => sums.readUnits),
    ["median ms", ...SHOWN.map((turn) => ms(around(stores, turn)))],
    ["floor, median ms", ...SHOWN.map((turn) => ms(around(floor, turn)))],
    ["  to the floor", ...SHOWN.map((turn) => ratio(around(stores, turn), around(floor, turn)))],
  ]);
}
