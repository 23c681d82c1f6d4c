/** One worker of the demo: a process that does one thing and prints its events as JSON lines. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { createAgent, type GovernedAgent } from "../../agent.js";
import { agentOptions, loadConfigFile } from "../../config/index.js";
import { embeddedStores } from "../../worker.js";
import type { Terminal } from "../terminal.js";
import { dueOnly } from "./own-due.js";
import { type DemoStep, demoPaths, LEASE_MS, TICKET, TRIGGER, WORKFLOW } from "./story.js";

export async function runDemoWorker(terminal: Terminal, step: DemoStep): Promise<number> {
  const paths = demoPaths(step.root, step.sessionId);
  process.env.PARKWAY_OUTBOX = paths.outbox;
  const { tools = [], ...config } = agentOptions(await loadConfigFile(step.root), step.root);
  const stores = await embeddedStores(step.root);
  const agent = await createAgent({
    ...config,
    stores: { ...stores, sessions: dueOnly(stores.sessions, step.sessionId) },
    tools: "dieIn" in step && step.dieIn ? tools.map((tool) => stoppingIn(tool, step.dieIn ?? "", terminal)) : tools,
    workflow: WORKFLOW,
    env: { ARCHMAX_MODEL: `script:${paths.script}` },
    onEvent: (event) => terminal.out(JSON.stringify({ event })),
    host: { leaseMs: LEASE_MS },
  });
  await told();
  try {
    terminal.out(JSON.stringify({ result: await perform(agent, step) }));
  } finally {
    await agent.close();
    await stores.sessions.close();
  }
  return 0;
}

/** Returns when the demo says so. A worker whose demo is gone ends with it, in the middle of whatever it does. */
function told(): Promise<void> {
  process.stdin.once("end", () => process.exit(1));
  return new Promise((resolve) => {
    process.stdin.once("data", () => {
      process.stdin.resume();
      (process.stdin as { unref?(): void }).unref?.();
      resolve();
    });
  });
}

async function perform(agent: GovernedAgent, step: DemoStep): Promise<unknown> {
  if (step.do === "wake") return agent.wake();
  if (step.do === "decide") {
    return agent.workflow.decide(step.sessionId, {
      target: "draft-email",
      comment: "Fine, pay it back.",
      park: step.park,
      decidedBy: "desk-lead@northlight.example",
    });
  }
  const { body, ...rest } = TICKET;
  return agent.workflow.send(step.sessionId, {
    trigger: { id: TRIGGER },
    variables: { ticket: { id: step.sessionId, body }, ...rest },
  });
}

/** The tool as it is, but for its last step: having done its work it says so and never answers. */
function stoppingIn(tool: StructuredToolInterface, name: string, terminal: Terminal): StructuredToolInterface {
  const symbol = Object.getOwnPropertySymbols(tool).find((key) => Symbol.keyFor(key) === "parkway.tool-descriptor");
  if (tool.name !== name || !symbol) return tool;
  const descriptor = (tool as unknown as Record<symbol, { handler(...args: unknown[]): unknown }>)[symbol]!;
  const handler = async (...args: unknown[]) => {
    await descriptor.handler(...args);
    terminal.out(JSON.stringify({ stopped: name }));
    // A timer keeps the process alive until it is killed.
    return new Promise(() => setInterval(() => {}, 1_000));
  };
  return Object.assign(Object.create(Object.getPrototypeOf(tool), Object.getOwnPropertyDescriptors(tool)), {
    [symbol]: { ...descriptor, handler },
  });
}
