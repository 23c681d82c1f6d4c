/** What a call of `archmax_run` costs beside an ordinary tool call, the model's part being the same. */
import { join } from "node:path";
import { type Desk, openDesk } from "../desk.js";
import { kb, median, ms, percentile, printTable, timed } from "../report.js";
import { diskFolder, TOOL, WORKFLOW } from "../work.js";

const WARM_UP = 10;
const RUNS = 60;

const SKILL = "---\ndescription: Counts.\n---\n\nRun its scripts.\n";
const SPEC = `title: Script desk
tools: { allow_always: [archmax_run, ${TOOL}] }
skills: { allow_always: [counting] }
states:
  tool: { instructions: Call the tool., triggers: { tool: } }
  plain: { instructions: Run the script., triggers: { plain: } }
  twice: { instructions: Run it twice., triggers: { twice: } }
  calling: { instructions: Run the script that calls the tool., triggers: { calling: } }
`;
const ran = (script: string) => `{ name: archmax_run, args: { file_path: skills/counting/scripts/${script}.js } }`;
const reply = (state: string, calls: string) => `  - when: { state: ${state}, step: 1 }\n    toolCalls: [${calls}]\n`;
const MODEL = `replies:
${reply("tool", `{ name: ${TOOL}, args: { part: a } }`)}${reply("plain", ran("plain"))}${reply("twice", `${ran("plain")}, ${ran("plain")}`)}${reply("calling", ran("calling"))}  - text: Done.
`;

const FILES = {
  [`workflows/${WORKFLOW}/workflow.yaml`]: SPEC,
  "skills/counting/SKILL.md": SKILL,
  "skills/counting/scripts/plain.js": `"x".repeat(200);\n`,
  "skills/counting/scripts/calling.js": `await tools.${TOOL}({ part: "a" });\n`,
};

const TURNS: [trigger: string, name: string][] = [
  ["tool", "turn of one tool call"],
  ["plain", "turn of one archmax_run"],
  ["twice", "turn of two archmax_run"],
  ["calling", "turn of one archmax_run that calls the tool"],
];

export async function scripts(): Promise<void> {
  const model = join(diskFolder({ "model.yaml": MODEL }), "model.yaml");
  const desk = await openDesk("", { files: FILES, env: { ARCHMAX_MODEL: `script:${model}` } });
  const walls = new Map<string, number[]>(TURNS.map(([trigger]) => [trigger, []]));
  const trips = new Map<string, { calls: number; bytes: number }>();
  try {
    for (let index = 0; index < WARM_UP + RUNS; index += 1) {
      for (const [trigger] of TURNS) {
        const wall = await oneTurn(desk, trigger, index);
        const handed = [...desk.handed.take().values()];
        if (index < WARM_UP) continue;
        walls.get(trigger)!.push(wall);
        const sum = (of: "calls" | "bytes") => handed.reduce((total, trip) => total + trip[of], 0);
        trips.set(trigger, { calls: sum("calls"), bytes: sum("bytes") });
      }
    }
  } finally {
    await desk.agent.close();
  }
  const at = (trigger: string) => median(walls.get(trigger)!);
  printTable(`archmax_run beside an ordinary tool call (${RUNS} each, turn about)`, [
    ["", "median ms", "p99 ms", "store round trips", "bytes handed to the store"],
    ...TURNS.map(([trigger, name]) => {
      const { calls, bytes } = trips.get(trigger)!;
      return [name, ms(at(trigger)), ms(percentile(walls.get(trigger)!, 0.99)), calls, kb(bytes)];
    }),
    ["  archmax_run more than a tool call", ms(at("plain") - at("tool")), "", "", ""],
    ["  a second archmax_run of the turn", ms(at("twice") - at("plain")), "", "", ""],
    ["  the call inside a script", ms(at("calling") - at("plain")), "", "", ""],
  ]);
}

async function oneTurn({ agent }: Desk, trigger: string, index: number): Promise<number> {
  const { wall } = await timed(async () => {
    const outcome = await agent.workflow.send(`${trigger}-${index}`, { message: "Go.", trigger: { id: trigger } });
    const failed = outcome.messages.find(({ status }) => status === "error");
    if (outcome.reply !== "Done." || failed) throw new Error(`${outcome.kind}: ${failed?.content ?? outcome.reply}`);
  });
  return wall;
}
