/**
 * A world that can end at any store operation: nothing after it takes effect, and a new agent shares only the stores.
 * The operations are counted as they happen, so a new write joins the matrix by itself.
 */

import type { AgentStores } from "../../lib/agent/options.js";
import { createAgent, type GovernedAgent } from "../../lib/agent.js";
import type { Sandbox } from "../../lib/sandbox/types.js";
import type { Receipt } from "../../lib/session/arrival.js";
import { arrivalIdFor, LEASE_MS } from "../../lib/session/index.js";
import { loadState } from "../../lib/session/load-state.js";
import { childSessionId } from "../../lib/spec/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import type { LegOptions } from "../../lib/turn/types.js";
import { sharedSandbox } from "../harness/agent.js";
import { type ManualClock, manualClock } from "../harness/clock.js";
import { temporaryFolder } from "../harness/temporary.js";
import { type Intercept, wrapStore } from "../harness/wrap-store.js";
import type { Scenario } from "./scenarios.js";

/** Dies before the operation; right after it; or lives on after it with its answer lost. */
export type Mode = "before" | "after" | "answer lost";
export interface Kill {
  /** Counts the operations from 1. */
  at: number;
  mode: Mode;
}

export interface Ending {
  /** Names of the operations, in order. */
  ops: string[];
  /** Everything that has to be equal, with ids of attempts and times left out. */
  result: unknown;
}

/** Longer than any lease or pause between attempts. */
export const PAUSE_MS = LEASE_MS + 10 * 60_000;
const MAX_TRIES = 8;

/** The stores of one world: as the agent that may die has them, and as they are. */
export interface WorldStores {
  mortal(intercept: Intercept): AgentStores;
  stores: AgentStores;
}

function inMemory(): WorldStores {
  const stores = { sessions: createMemorySessionStore(), files: createMemoryFileStore() };
  return { stores, mortal: (intercept) => wrapped(stores, intercept) };
}

/** Runs a scenario with as many ends of the world in it: the first process has the first of the kills, and so on. */
export async function runScenario(
  scenario: Scenario,
  kills: Kill | readonly Kill[] | null,
  leg: LegOptions = {},
  { stores, mortal: mortalStores }: WorldStores = inMemory(),
): Promise<Ending> {
  const folder = temporaryFolder();
  const clock = manualClock();
  const ends = kills === null ? [] : [kills].flat();
  const lives = [createLife(ends[0] ?? null)];
  let [life] = lives as [ReturnType<typeof createLife>];
  const openMortal = () =>
    openAgent(scenario, {
      clock,
      dir: folder.dir,
      stores: mortalStores(life.intercept),
      life,
      owner: `process-${lives.length}`,
    });
  let agent = await openMortal();

  const play: Play = {
    stores,
    clock,
    leg,
    /** Does the work, or reports that it ended with the world or its answer. */
    async attempt(work) {
      try {
        await (life.dead ? work(agent) : Promise.race([work(agent), life.death]));
      } catch {
        // Whoever called would call again.
      }
      if (!life.dead) return;
      const end = ends[lives.length];
      if (end === undefined) {
        agent = await openAgent(scenario, { clock, dir: folder.dir, stores, owner: "last" });
        return;
      }
      life = createLife(end);
      lives.push(life);
      agent = await openMortal();
    },
  };
  await playSteps(scenario, play);
  const result = await resultOf(scenario, { stores, dir: folder.dir });
  folder.remove();
  return { ops: lives[0]!.ops, result };
}

export interface Life {
  dead: boolean;
  death: Promise<void>;
  never: Promise<never>;
}

export async function openAgent(
  scenario: Scenario,
  given: { clock: ManualClock; dir: string; stores: AgentStores; life?: Life; owner?: string },
): Promise<GovernedAgent> {
  const tools = scenario.tools?.(given.dir) ?? [];
  return createAgent({
    workflow: scenario.workflow,
    workspace: { rootDir: scenario.rootDir },
    stores: given.stores,
    tools: given.life ? mortal(tools, given.life) : tools,
    ...scenario.extensions?.(),
    env: await envOf(scenario, given.dir),
    sandboxRuntime: mortalSandbox(given.life),
    onEvent: () => {},
    host: { clock: given.clock, owner: given.owner ?? "one" },
  });
}

async function envOf({ provider, script }: Scenario, run: string): Promise<Record<string, string>> {
  if (provider) return provider(run);
  return script ? { ARCHMAX_MODEL: `script:${script}` } : {};
}

export function wrapped(stores: AgentStores, intercept: Intercept): AgentStores {
  return { sessions: wrapStore(stores.sessions, intercept), files: wrapStore(stores.files, intercept) };
}

export interface Play {
  /** The stores as they are, for looking. */
  stores: AgentStores;
  clock: ManualClock;
  leg: LegOptions;
  attempt(work: (agent: GovernedAgent) => Promise<unknown>): Promise<void>;
}

/** Every step is asked for until it is settled, as callers and sweeps would; a step that was settled before is not run again. */
export async function playSteps(scenario: Scenario, { stores, clock, leg, attempt }: Play): Promise<void> {
  const { sessionId } = scenario;
  for (const [index, step] of scenario.steps.entries()) {
    if ("waitMs" in step) {
      clock.advance(step.waitMs);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        await attempt((agent) => agent.wake());
        const record = (await stores.sessions.read(sessionId))?.record;
        if (record?.dueAt === null) break;
        clock.advance(PAUSE_MS);
      }
      continue;
    }
    let receipt: Receipt | null = null;
    let handOvers = 0;
    for (let tries = 0; tries < MAX_TRIES && !isFinal(receipt); tries += 1) {
      if (tries > 0) clock.advance(PAUSE_MS);
      await attempt(async (agent) => {
        const accepted = await agent.accept(sessionId, step.input, { key: `step-${index}` });
        receipt = await stores.sessions.receipt(accepted.arrivalId, clock.now());
        while (!isFinal(receipt)) {
          const { left, dueAt } = await agent.work(sessionId, { ...invocationOf(scenario, clock), ...leg });
          receipt = await stores.sessions.receipt(accepted.arrivalId, clock.now());
          if (left !== "handed-over" || ++handOvers > 100) break;
          if (dueAt !== undefined) clock.advance(Math.max(0, dueAt - clock.now()));
        }
      });
    }
    if (!isFinal(receipt)) throw new Error(`${scenario.name}: step ${index} was never settled.`);
  }
}

function invocationOf({ invocationMs }: Scenario, clock: ManualClock): LegOptions {
  return invocationMs === undefined ? {} : { abortAt: clock.now() + invocationMs };
}

export async function resultOf(
  scenario: Scenario,
  { stores, dir }: { stores: AgentStores; dir: string },
): Promise<unknown> {
  const { sessionId } = scenario;
  const loaded = await loadState(stores.sessions, sessionId);
  const contents = await contentsOf(stores, sessionId);
  const children = await childrenOf(stores, sessionId);
  const arrivals = await Promise.all(
    scenario.steps.map(async (step, index) => {
      if ("waitMs" in step) return null;
      const receipt = await stores.sessions.receipt(arrivalId(index), 0);
      return receipt && { status: receipt.status, outcome: receipt.outcome, error: receipt.error };
    }),
  );
  return normalised({
    arrivals,
    state: loaded?.state,
    children,
    rest: {
      lease: loaded?.record.lease,
      active: loaded?.record.active,
      queued: loaded?.queued,
      dueAt: loaded?.record.dueAt,
      status: loaded?.record.status,
    },
    files: contents,
    effects: scenario.effects?.(dir) ?? null,
  });
}

async function contentsOf({ files }: AgentStores, sessionId: string): Promise<[path: string, text: string][]> {
  const listed = await files.list(sessionId);
  return Promise.all(
    listed.map(
      async ({ path }) => [path, new TextDecoder().decode((await files.read(sessionId, path))?.bytes)] as const,
    ),
  ) as Promise<[string, string][]>;
}

/** Every session that the session's calls have made, whatever became of it. */
async function childrenOf(stores: AgentStores, sessionId: string): Promise<unknown[]> {
  const children: unknown[] = [];
  for (let number = 1; number <= CHILDREN_LOOKED_FOR; number += 1) {
    const id = childSessionId(sessionId, number);
    const loaded = await loadState(stores.sessions, id);
    if (!loaded) continue;
    const { status, lease, dueAt, active } = loaded.record;
    children.push({ id, state: loaded.state, status, lease, dueAt, active, files: await contentsOf(stores, id) });
  }
  return children;
}

/** More than any scenario makes: a second child for one call would be among them. */
const CHILDREN_LOOKED_FOR = 6;

function arrivalId(index: number): string {
  return arrivalIdFor({ scope: "", source: "api", key: `step-${index}` });
}

function isFinal(receipt: Receipt | null): boolean {
  return receipt !== null && receipt.status !== "queued" && receipt.status !== "running";
}

function createLife(kill: Kill | null) {
  const ops: string[] = [];
  let die: () => void = () => {};
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const life: Life & { ops: string[]; intercept: Intercept } = {
    ops,
    death,
    dead: false,
    never: new Promise<never>(() => {}),
    async intercept(op, run) {
      if (life.dead) return life.never;
      ops.push(op.name);
      if (kill?.at !== ops.length) return run();
      if (kill.mode === "answer lost") {
        await run();
        throw new Error("The connection was lost.");
      }
      if (kill.mode === "after") await run();
      life.dead = true;
      die();
      return life.never;
    },
  };
  return life;
}

/** A process that has died holds no worker any more. */
function mortalSandbox(life: Life | undefined): Sandbox {
  const sandbox = sharedSandbox();
  const openRepl = () => {
    const repl = sandbox.openRepl();
    void life?.death.then(() => repl.close());
    return repl;
  };
  return { ...sandbox, openRepl };
}

/** Handlers of a process that has died do nothing more. */
function mortal<Tool extends object>(tools: readonly Tool[], life: Life): Tool[] {
  return tools.map((tool) => {
    const symbol = Object.getOwnPropertySymbols(tool).find((key) => key.description === "parkway.tool-descriptor");
    if (!symbol) return tool;
    const descriptor = (tool as Record<symbol, { handler(...args: unknown[]): unknown }>)[symbol]!;
    const handler = (...args: unknown[]) => (life.dead ? life.never : descriptor.handler(...args));
    const copy = Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool));
    return Object.defineProperty(copy, symbol, { value: { ...descriptor, handler } }) as Tool;
  });
}

/** Ids without the mark of the attempt (S-36), or what is a hash of one; times without their value. */
export function normalised(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member) => (key === "ts" ? 0 : member))
    .replace(/(?<![0-9A-Za-z])m(\d+)-[0-9a-z]+(?=["-])/g, "m$1")
    .replace(/(?<=\/[0-9a-z]{4}e)[0-9a-f]{16}(?=\/)/g, "<call>")
    .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, "<time>");
  return JSON.parse(text);
}
