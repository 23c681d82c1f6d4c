/**
 * A world that can end at any store operation: nothing after it takes effect, and a new agent shares only the stores.
 * The operations are counted as they happen, so a new write joins the matrix by itself.
 */
import { type Agent, createAgent } from "../../lib/agent.js";
import type { Receipt } from "../../lib/session/arrival.js";
import { LEASE_MS } from "../../lib/session/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { loadState } from "../../lib/turn/load-state.js";
import { sharedSandbox } from "../harness/agent.js";
import { manualClock } from "../harness/clock.js";
import { temporaryFolder } from "../harness/temporary.js";
import { type StoreOp, wrapStore } from "../harness/wrap-store.js";
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
const PAUSE_MS = LEASE_MS + 10 * 60_000;
const MAX_TRIES = 8;

export async function runScenario(scenario: Scenario, kill: Kill | null): Promise<Ending> {
  const folder = temporaryFolder();
  const clock = manualClock();
  const stores = { sessions: createMemorySessionStore(), files: createMemoryFileStore() };
  const life = createLife(kill);
  const open = (mortal: boolean) =>
    createAgent({
      workflow: scenario.workflow,
      workspace: { rootDir: scenario.rootDir },
      stores: mortal
        ? { sessions: wrapStore(stores.sessions, life.intercept), files: wrapStore(stores.files, life.intercept) }
        : stores,
      tools: mortal ? life.mortalTools(scenario.tools?.(folder.dir) ?? []) : (scenario.tools?.(folder.dir) ?? []),
      env: scenario.script ? { ARCHMAX_MODEL: `script:${scenario.script}` } : {},
      sandboxRuntime: sharedSandbox(),
      onEvent: () => {},
      host: { clock, owner: mortal ? "first" : "second" },
    });

  let agent: Agent = await open(true);
  /** Does the work, or reports that it ended with the world or its answer. */
  async function attempt(work: (agent: Agent) => Promise<unknown>): Promise<void> {
    try {
      await (life.dead ? work(agent) : Promise.race([work(agent), life.death]));
    } catch {
      // Whoever called would call again.
    }
    if (life.dead) agent = await open(false);
  }

  const receipts: Receipt[] = [];
  for (const [index, step] of scenario.steps.entries()) {
    if ("waitMs" in step) {
      clock.advance(step.waitMs);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        await attempt(() => agent.wake());
        const record = (await stores.sessions.read(scenario.sessionId))?.record;
        if (record && record.dueAt === null) break;
        clock.advance(PAUSE_MS);
      }
      continue;
    }
    const key = `step-${index}`;
    let receipt: Receipt | null = null;
    for (let tries = 0; tries < MAX_TRIES && !isFinal(receipt); tries += 1) {
      if (tries > 0) clock.advance(PAUSE_MS);
      await attempt(async () => {
        const accepted = await agent.accept(scenario.sessionId, step.input, { key });
        receipt = await stores.sessions.receipt(accepted.arrivalId, clock.now());
        if (!isFinal(receipt)) await agent.work(scenario.sessionId);
        receipt = await stores.sessions.receipt(accepted.arrivalId, clock.now());
      });
    }
    if (!receipt) throw new Error(`${scenario.name}: step ${index} was never settled.`);
    receipts.push(receipt);
  }

  const loaded = await loadState(stores.sessions, scenario.sessionId);
  const files = await stores.files.list(scenario.sessionId);
  const contents = await Promise.all(
    files.map(async ({ path }) => [
      path,
      new TextDecoder().decode((await stores.files.read(scenario.sessionId, path))?.bytes),
    ]),
  );
  const result = normalised({
    receipts: receipts.map(({ status, outcome, error }) => ({ status, outcome, error })),
    state: loaded?.state,
    rest: {
      lease: loaded?.record.lease,
      active: loaded?.record.active,
      queued: loaded?.queued,
      dueAt: loaded?.record.dueAt,
      status: loaded?.record.status,
    },
    files: contents,
    effects: scenario.effects?.(folder.dir) ?? null,
  });
  folder.remove();
  return { ops: life.ops, result };
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
  const never = new Promise<never>(() => {});
  const life = {
    ops,
    death,
    dead: false,
    async intercept<Result>(op: StoreOp, run: () => Promise<Result>): Promise<Result> {
      if (life.dead) return never;
      ops.push(op.name);
      if (kill?.at !== ops.length) return run();
      if (kill.mode === "answer lost") {
        await run();
        throw new Error("The connection was lost.");
      }
      if (kill.mode === "after") await run();
      life.dead = true;
      die();
      return never;
    },
    /** Handlers of a process that has died do nothing more. */
    mortalTools<Tool extends object>(tools: readonly Tool[]): Tool[] {
      return tools.map((tool) => {
        const symbol = Object.getOwnPropertySymbols(tool).find((key) => key.description === "parkway.tool-descriptor");
        if (!symbol) return tool;
        const descriptor = (tool as Record<symbol, { handler(...args: unknown[]): unknown }>)[symbol]!;
        const handler = (...args: unknown[]) => (life.dead ? never : descriptor.handler(...args));
        return Object.defineProperty(
          Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool)),
          symbol,
          {
            value: { ...descriptor, handler },
          },
        ) as Tool;
      });
    },
  };
  return life;
}

/** Ids without the mark of the attempt (S-36), times without their value. */
function normalised(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member) => (key === "ts" ? 0 : member))
    .replace(/\bm(\d+)-[0-9a-z]+(?=["-])/g, "m$1")
    .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z/g, "<time>");
  return JSON.parse(text);
}
