/** What a call of a sub-workflow costs: a child of one code state, beside the same code in the caller's own script. */
import { type Desk, openDesk } from "../desk.js";
import { kb, median, ms, percentile, printTable, timed } from "../report.js";
import { WORKFLOW } from "../work.js";

const WARM_UP = 10;
const RUNS = 60;

const COUNT = "await tools.archmax_set_variables({ variables: { count: 1 } });";
const script = (body: string) => `export default async ({ tools }) => { ${body} };\n`;
const CALL = "await tools.archmax_workflow_counter({});";

const SPEC = `tools: { allow_always: [archmax_workflow_counter] }
states:
  inline: { type: code, script: scripts/inline.js, triggers: { inline: { message: false } } }
  call: { type: code, script: scripts/call.js, triggers: { call: { message: false } } }
  three: { type: code, script: scripts/three.js, triggers: { three: { message: false } } }
`;
const CHILD = "states: { count: { type: code, script: scripts/count.js, triggers: { manual: { message: false } } } }\n";

const FILES = {
  [`workflows/${WORKFLOW}/workflow.yaml`]: SPEC,
  [`workflows/${WORKFLOW}/scripts/inline.js`]: script(COUNT),
  [`workflows/${WORKFLOW}/scripts/call.js`]: script(CALL),
  [`workflows/${WORKFLOW}/scripts/three.js`]: script(`await Promise.all([1, 2, 3].map(async () => { ${CALL} }));`),
  "workflows/counter/workflow.yaml": CHILD,
  "workflows/counter/scripts/count.js": script(COUNT),
};

interface Figures {
  wall: number[];
  calls: number;
  bytes: number;
}

export async function delegation(): Promise<void> {
  const desk = await openDesk("http://127.0.0.1:9", { files: FILES });
  const figures = new Map<string, Figures>();
  try {
    for (let index = 0; index < WARM_UP + RUNS; index += 1) {
      for (const trigger of ["inline", "call", "three"]) {
        const { wall, calls, bytes } = await oneTurn(desk, trigger, index);
        if (index < WARM_UP) continue;
        const known = figures.get(trigger) ?? { wall: [], calls, bytes };
        known.wall.push(wall);
        figures.set(trigger, known);
      }
    }
  } finally {
    await desk.agent.close();
  }
  const [inline, call, three] = ["inline", "call", "three"].map((trigger) => figures.get(trigger)!) as [
    Figures,
    Figures,
    Figures,
  ];
  const row = (name: string, { wall, calls, bytes }: Figures) => [
    name,
    ms(median(wall)),
    ms(percentile(wall, 0.99)),
    calls,
    kb(bytes),
  ];
  const more = (name: string, figure: Figures, part: number) => [
    name,
    ms((median(figure.wall) - median(inline.wall)) / part),
    "",
    ((figure.calls - inline.calls) / part).toFixed(1),
    kb((figure.bytes - inline.bytes) / part),
  ];
  printTable(`a sub-workflow of one code state, called by a script (${RUNS} each, turn about)`, [
    ["", "median ms", "p99 ms", "store round trips", "bytes handed to the store"],
    row("turn with the code inline", inline),
    row("turn that calls the workflow", call),
    row("turn that calls it three times at once", three),
    more("  one call more", call, 1),
    more("  one of three at once", three, 3),
  ]);
}

async function oneTurn({ agent, handed }: Desk, trigger: string, index: number) {
  handed.take();
  const { wall } = await timed(async () => {
    const outcome = await agent.workflow.send(`${trigger}-${index}`, { trigger: { id: trigger } });
    if (outcome.kind !== "completed")
      throw new Error(`The turn ended as ${outcome.kind}: ${JSON.stringify(outcome.exit)}`);
  });
  const trips = [...handed.take().values()];
  const sum = (of: "calls" | "bytes") => trips.reduce((total, trip) => total + trip[of], 0);
  return { wall, calls: sum("calls"), bytes: sum("bytes") };
}
