/**
 * `parkway demo`: the refund desk with scripted replies, every step in a process of its own. It shows what the engine
 * promises and exits 0 only if the store says that it happened.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createAgent, type GovernedAgent } from "../agent.js";
import { agentOptions, loadConfigFile } from "../config/index.js";
import { checkStory } from "./demo/checks.js";
import { startWorker } from "./demo/processes.js";
import { type DemoStep, demoPaths, FATAL_TOOL, LEASE_MS, STEP_VARIABLE, type Story, WORKFLOW } from "./demo/story.js";
import { runDemoWorker } from "./demo/worker.js";
import { DemoNeedsCloneError, EXIT } from "./errors.js";
import { createStateFlowRenderer } from "./state-flow.js";
import { icons } from "./style.js";
import type { Terminal } from "./terminal.js";
import type { CommandContext } from "./types.js";

export async function demo({ terminal, signal }: CommandContext): Promise<number> {
  const step = process.env[STEP_VARIABLE];
  if (step !== undefined) return runDemoWorker(terminal, JSON.parse(step) as DemoStep);
  const startedAt = Date.now();
  const root = bundledRoot();
  const sessionId = `demo-${startedAt.toString(36)}`;
  const reader = await openReader(root);
  try {
    const story = await tell(terminal, { root, sessionId, reader, signal });
    const faults = await checkStory({ ...story, sessionId, reader, outbox: demoPaths(root, sessionId).outbox });
    await printEnd(terminal, { root, sessionId, reader });
    if (faults.length > 0) {
      for (const fault of faults) terminal.err(terminal.style.red(`${icons.fail} ${fault}`));
      return EXIT.failure;
    }
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    terminal.out(`${icons.ok} All of it happened as shown; the store was asked. (${seconds} s)`);
    printNext(terminal, root, sessionId);
    return EXIT.ok;
  } finally {
    await reader.close();
  }
}

interface Given {
  root: string;
  sessionId: string;
  reader: GovernedAgent;
}

async function tell(
  terminal: Terminal,
  { root, sessionId, reader, signal }: Given & { signal: AbortSignal },
): Promise<Story> {
  const write = (line: string) => terminal.err(line);
  const chapter = (title: string) => write(`\n${terminal.style.bold(title)}`);
  const onEvent = createStateFlowRenderer({ style: terminal.style, write });
  const start = (step: DemoStep, kill = false) => startWorker(step, { onEvent, kill, abort: signal });
  const work = (step: DemoStep, kill = false) => start(step, kill).run();
  const pause = (ms: number) => sleep(ms, undefined, { signal });
  const base = { sessionId, root };

  chapter("1  A helpdesk ticket fires the trigger; the agent works until it has to wait.");
  // Ready before there is anything to wait for: on a slow machine a process takes longer to start than the wait lasts.
  const sweeper = start({ do: "wake", ...base });
  await work({ do: "fire", ...base });
  const waiting = await reader.sessions.get(sessionId);

  chapter("2  Nothing runs now. A sweep before the time does nothing; one after it wakes the session.");
  const early = (await sweeper.run()).result;
  write(`    swept too early: ${JSON.stringify(early)}`);
  await pause(Math.max(0, Date.parse(waiting?.resumeAt ?? "") - Date.now()) || 0);
  await work({ do: "wake", ...base });
  const asking = await reader.sessions.get(sessionId);

  chapter(
    "3  A person approves; the draft of the letter is graded. The worker is killed in the middle of the payment.",
  );
  const park = asking?.pending?.parkId ?? "";
  const killed = await work({ do: "decide", ...base, park, dieIn: FATAL_TOOL }, true);
  write(terminal.style.red(`    ${icons.fail} the worker is gone (${killed.signal})`));
  const left = await reader.sessions.get(sessionId);

  chapter("4  Another worker finds the session by its expired lease and goes on where the first one stopped.");
  await pause(LEASE_MS);
  await work({ do: "wake", ...base });
  const final = await reader.sessions.get(sessionId);
  return { waiting, early, asking, killed: { signal: killed.signal, left }, final };
}

/** An agent that only reads. */
async function openReader(root: string): Promise<GovernedAgent> {
  const config = agentOptions(await loadConfigFile(root), root);
  return createAgent({ ...config, workflow: WORKFLOW, env: {}, onEvent: () => {} });
}

async function printEnd(terminal: Terminal, { root, sessionId, reader }: Given): Promise<void> {
  const trail = await reader.sessions.trail(sessionId);
  terminal.out("\nThe trail");
  for (const step of trail) {
    const by = step.by ? ` (${step.by})` : "";
    terminal.out(`  ${step.kind.padEnd(8)} → ${step.to.padEnd(13)} ${step.reason ?? ""}${by}`);
  }
  terminal.out("\nThe session's files");
  for (const file of filesBelow(join(root, "sessions", sessionId))) terminal.out(`  sessions/${sessionId}/${file}`);
  const { outbox } = demoPaths(root, sessionId);
  terminal.out("\nWhat left the house");
  for (const file of filesBelow(outbox)) terminal.out(`  outbox/${sessionId}/${file}`);
  terminal.out("");
}

function printNext(terminal: Terminal, root: string, sessionId: string): void {
  terminal.out(`
Look at it again:     npx parkway sessions ${sessionId} --workflow ${WORKFLOW}
With a real model:    put ARCHMAX_API_BASE_URL, ARCHMAX_API_KEY and ARCHMAX_MODEL into ${join(root, ".env")}, then
  npx parkway run ${WORKFLOW} "Please refund order NL-204, the lamp is too bright." \\
    --variables '{"customer_email":"mia@mail.example","asked_on":"2026-03-20"}'`);
}

function filesBelow(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort();
}

/** The package's own folder: its bundled workspace, wherever the command was called. @throws {DemoNeedsCloneError} */
function bundledRoot(): string {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dirname(dir) !== dir; dir = dirname(dir)) {
    const file = join(dir, "package.json");
    if (!existsSync(file) || (JSON.parse(readFileSync(file, "utf8")) as { name?: string }).name !== "parkway") continue;
    if (!existsSync(join(dir, "workflows", WORKFLOW))) throw new DemoNeedsCloneError();
    return dir;
  }
  throw new Error("The folder of the parkway package was not found.");
}
