/** From the start of a process to the answer of its first turn, and to its end. */
import { spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { startModelProcess } from "../model-process.js";
import { median, ms, printTable, ratio } from "../report.js";
import { ANSWER, diskFolder, QUESTION, SPEC, TOOL, TOOL_PARAMETERS, WORKFLOW } from "../work.js";

const RUNS = 9;
const COMMAND = join(import.meta.dirname, "..", "..", "..", "bin", "parkway.mjs");

const CONFIG = `import { defineConfig, toolsFromMap } from "parkway";
export default defineConfig({
  tools: toolsFromMap({
    ${TOOL}: {
      description: "Looks up a part of the order.",
      inputSchema: ${JSON.stringify(TOOL_PARAMETERS)},
      readOnly: true,
      handler: ({ part }) => part.padEnd(200, "."),
    },
  }),
});
`;

interface Start {
  name: string;
  args: readonly string[];
  env?: Record<string, string>;
  /** What the process prints when it is done. */
  answer: string;
  answered: number[];
  ended: number[];
  /** Called before each run. */
  before?(): void;
}

export async function start(): Promise<void> {
  const model = await startModelProcess();
  const root = diskFolder({ [`workflows/${WORKFLOW}/workflow.yaml`]: SPEC, "parkway.config.mjs": CONFIG });
  const env = { ARCHMAX_API_BASE_URL: model.url, ARCHMAX_API_KEY: "bench", ARCHMAX_MODEL: "bench" };
  const cache = join(root, "compile-cache");
  const bare = await bareLoopFile(root);
  const run = [COMMAND, "run", WORKFLOW, QUESTION, "--root", root];
  const starts: Start[] = [
    { name: "node alone", args: ["-e", "console.log('done')"], answer: "done", answered: [], ended: [] },
    { name: "bare loop", args: [bare, join(root, "loop.db"), model.url], answer: ANSWER, answered: [], ended: [] },
    { name: "parkway run", args: run, env, answer: ANSWER, answered: [], ended: [] },
    {
      name: "parkway run, no compile cache yet",
      args: run,
      env: { ...env, NODE_COMPILE_CACHE: cache },
      answer: ANSWER,
      answered: [],
      ended: [],
      before() {
        rmSync(cache, { recursive: true, force: true });
        mkdirSync(cache);
      },
    },
  ];
  try {
    await runOnce(starts[2]!);
    for (let index = 0; index < RUNS; index += 1) {
      for (const candidate of starts) {
        candidate.before?.();
        rmSync(join(root, "loop.db"), { force: true });
        const { answered, ended } = await runOnce(candidate);
        candidate.answered.push(answered);
        candidate.ended.push(ended);
      }
    }
  } finally {
    model.stop();
  }
  const reference = median(starts[1]!.answered);
  printTable(`process start to the first answer (${RUNS} each, turn about)`, [
    ["", "answer ms", "to the loop", "end ms"],
    ...starts.map(({ name, answered, ended }) => [
      name,
      ms(median(answered)),
      ratio(median(answered), reference),
      ms(median(ended)),
    ]),
  ]);
}

/** The bare loop as one file of plain JavaScript, as dist/ is. */
async function bareLoopFile(root: string): Promise<string> {
  const outfile = join(root, "bare.mjs");
  const entry = join(import.meta.dirname, "..", "start.bare.ts");
  await build({ entryPoints: [entry], outfile, bundle: true, platform: "node", format: "esm", target: "node22" });
  return outfile;
}

async function runOnce({ args, env, answer }: Start): Promise<{ answered: number; ended: number }> {
  const from = performance.now();
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: "1", ...env },
  });
  let out = "";
  let err = "";
  let answered = Number.NaN;
  child.stderr.on("data", (part) => {
    err += part;
  });
  child.stdout.on("data", (part) => {
    out += part;
    if (out.includes(answer) && Number.isNaN(answered)) answered = performance.now() - from;
  });
  await new Promise((closed) => child.on("close", closed));
  if (Number.isNaN(answered)) throw new Error(`${args.join(" ")} did not answer:\n${err}${out}`);
  return { answered, ended: performance.now() - from };
}
