/** The common work on the embedded stores, turn about with the bare loop. */
import { join } from "node:path";
import { type BareLoop, createBareLoop } from "../bare-loop.js";
import { type Desk, openDesk } from "../desk.js";
import { startModelProcess } from "../model-process.js";
import { kb, median, ms, percentile, printTable, ratio, timed } from "../report.js";
import { ANSWER, diskFolder, lookUp, QUESTION, TOOL, TOOL_PARAMETERS } from "../work.js";

const WARM_UP = 40;
const TURNS = 200;
const LONG = 100;
const SHOWN = [1, 10, 50, 100];
/** A figure of turn N is the median of this many turns on each side of it. */
const AROUND = 2;

export async function turn(): Promise<void> {
  const model = await startModelProcess();
  const desk = await openDesk(model.url);
  const streamed = await openDesk(model.url, { streaming: true });
  const loop = createBareLoop({
    file: join(diskFolder(), "loop.db"),
    url: model.url,
    tool: { name: TOOL, parameters: TOOL_PARAMETERS, run: lookUp },
  });
  const runs: Run[] = [
    { name: "bare loop", turn: (id) => loop.turn(id, QUESTION), wall: [], cpu: [] },
    { name: "parkway", turn: (id) => send(desk, id), wall: [], cpu: [] },
    { name: "parkway, streaming", turn: (id) => send(streamed, id), wall: [], cpu: [] },
  ];
  try {
    await firstTurns(runs);
    await longConversation(desk, loop);
  } finally {
    loop.close();
    await desk.agent.close();
    await streamed.agent.close();
    model.stop();
  }
}

interface Run {
  name: string;
  turn(conversation: string): Promise<unknown>;
  wall: number[];
  cpu: number[];
}

async function send({ agent }: Desk, sessionId: string): Promise<void> {
  const outcome = await agent.workflow.send(sessionId, { message: QUESTION });
  if (outcome.reply !== ANSWER) throw new Error(`The turn ended as ${outcome.kind}: ${outcome.reply}`);
}

async function firstTurns(runs: readonly Run[]): Promise<void> {
  for (let index = -WARM_UP; index < TURNS; index += 1) {
    for (const run of runs) {
      const { wall, cpu } = await timed(() => run.turn(`first-${index + WARM_UP}`));
      if (index < 0) continue;
      run.wall.push(wall);
      run.cpu.push(cpu);
    }
  }
  const [reference] = runs;
  printTable(`first turn of a conversation (${TURNS} each, turn about)`, [
    ["", "median ms", "p99 ms", "to the loop", "CPU ms"],
    ...runs.map(({ name, wall, cpu }) => [
      name,
      ms(median(wall)),
      ms(percentile(wall, 0.99)),
      ratio(median(wall), median(reference?.wall ?? [])),
      ms(cpu.reduce((sum, value) => sum + value, 0) / cpu.length),
    ]),
  ]);
}

interface LongTurn {
  wall: number;
  loopWall: number;
  trips: Map<string, { calls: number; bytes: number }>;
  loopBytes: number;
}

async function longConversation(desk: Desk, loop: BareLoop): Promise<void> {
  const turns: LongTurn[] = [];
  desk.handed.take();
  loop.written();
  for (let index = 0; index < LONG + AROUND; index += 1) {
    const bare = await timed(() => loop.turn("long", QUESTION));
    const { wall } = await timed(() => send(desk, "long"));
    turns.push({ wall, loopWall: bare.wall, trips: desk.handed.take(), loopBytes: loop.written().bytes });
  }
  const shown = SHOWN.map((at) => ({ at, ...turns[at - 1]! }));
  const methods = [...new Set(shown.flatMap(({ trips }) => [...trips.keys()]))];
  const total = ({ trips }: LongTurn, of: "calls" | "bytes") =>
    [...trips.values()].reduce((sum, trip) => sum + trip[of], 0);
  const around = (at: number, of: "wall" | "loopWall") =>
    median(turns.slice(Math.max(0, at - 1 - AROUND), at + AROUND).map((turn) => turn[of]));
  printTable("one conversation of 100 turns", [
    ["turn", ...SHOWN],
    ["store round trips", ...shown.map((turn) => total(turn, "calls"))],
    ...methods.map((name) => [`  ${name}`, ...shown.map(({ trips }) => trips.get(name)?.calls ?? 0)]),
    ["bytes handed to the store", ...shown.map((turn) => kb(total(turn, "bytes")))],
    ...methods
      .filter((name) => shown.some(({ trips }) => (trips.get(name)?.bytes ?? 0) > 0))
      .map((name) => [`  ${name}`, ...shown.map(({ trips }) => kb(trips.get(name)?.bytes ?? 0))]),
    ["  to turn 1", ...shown.map((turn) => ratio(total(turn, "bytes"), total(shown[0]!, "bytes")))],
    ["bare loop, bytes", ...shown.map(({ loopBytes }) => kb(loopBytes))],
    ["median ms", ...SHOWN.map((at) => ms(around(at, "wall")))],
    ["bare loop, median ms", ...SHOWN.map((at) => ms(around(at, "loopWall")))],
    ["  to the loop", ...SHOWN.map((at) => ratio(around(at, "wall"), around(at, "loopWall")))],
  ]);
}
