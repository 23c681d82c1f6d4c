/** A terminal, a root and an agent of one's own making for the commands to run against, without a process. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { main } from "../../lib/cli/main.js";
import { createStyle } from "../../lib/cli/style.js";
import type { CliAgent, OpenAgent } from "../../lib/cli/types.js";
import type { Outcome } from "../../lib/session/outcome.js";
import type { DecisionPark, InputPark } from "../../lib/session/state.js";

export interface Ran {
  exit: number;
  out: string;
  err: string;
  /** Calls of the agent, in order. */
  calls: unknown[][];
  /** How often an agent was opened. */
  opened: number;
}

type LocalWorkflow = Extract<CliAgent["workflow"], { send: unknown }>;
export type AgentParts = Partial<LocalWorkflow & CliAgent["sessions"] & Pick<CliAgent, "wake">>;

export interface Stage {
  root?: string;
  agent?: AgentParts;
  /** Told what the agent is opened with; may emit events. */
  onOpen?: (options: Parameters<OpenAgent>[0]) => void;
  env?: Record<string, string>;
  interactive?: boolean;
  /** What a person types, question by question; without it nobody is asked. */
  answers?: readonly string[];
  signal?: AbortSignal;
  /** The agent is that of the command line's `--endpoint`. */
  endpoint?: true;
}

/** Runs a command line in this process. An agent's method that a test does not give answers with what is usual. */
export async function runCli(argv: readonly string[], stage: Stage = {}): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const calls: unknown[][] = [];
  let opened = 0;
  const openAgent: OpenAgent = async (options) => {
    opened += 1;
    stage.onOpen?.(options);
    return anAgent(options.workflow, stage.agent ?? {}, calls);
  };
  const answers = [...(stage.answers ?? [])];
  const ask = async (question: string) => {
    err.push(`${question}\n`);
    const answer = answers.shift();
    if (answer === undefined) throw new Error(`nobody answers: ${question}`);
    return answer;
  };
  const terminal = {
    ...(stage.answers ? { ask } : {}),
    out: (text: string) => void out.push(`${text}\n`),
    err: (text: string) => void err.push(`${text}\n`),
    style: createStyle({ colour: false }),
    interactive: stage.interactive ?? false,
    env: stage.env ?? {},
    cwd: stage.root ?? tmpdir(),
  };
  const signal = stage.signal ?? new AbortController().signal;
  const exit = await main(argv, { terminal, ...(stage.endpoint ? {} : { openAgent }), signal });
  return { exit, out: out.join(""), err: err.join(""), calls, opened };
}

/** A root with the given files, `workflows/<slug>/workflow.yaml` among them for each slug; gone after the test. */
export function aRoot(slugs: readonly string[], files: Record<string, string> = {}): string {
  const root = mkdtempSync(join(tmpdir(), "parkway-cli-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const workflows = Object.fromEntries(slugs.map((slug) => [`workflows/${slug}/workflow.yaml`, "# empty\n"]));
  for (const [path, content] of Object.entries({ ...workflows, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  return root;
}

export function anOutcome(fields: Partial<Outcome> = {}): Outcome {
  return {
    kind: "completed",
    disposition: "turn",
    status: "completed",
    state: "done",
    reply: "All settled.",
    exit: { success: true },
    auditTrail: [],
    variables: {},
    messages: [],
    ...fields,
  };
}

export function aDecision(fields: Partial<DecisionPark> = {}): DecisionPark {
  return {
    channel: "decision",
    parkId: "park-1",
    state: "review",
    title: "Review the refund",
    instructions: "Check the amount.\nThen choose.",
    transitions: [{ to: "approved", type: "approve", description: "pay it" }, { to: "declined" }],
    evidence: ["scratchpad/letter.md"],
    approvers: ["finance"],
    parkedAt: "2026-01-05T10:00:00.000Z",
    seq: 1,
    ...fields,
  };
}

export function aWait(fields: Partial<InputPark> = {}): InputPark {
  return {
    channel: "input",
    parkId: "park-2",
    state: "waiting",
    reason: "the customer's answer",
    parkedAt: "2026-01-05T10:00:00.000Z",
    resumeAt: "2026-01-06T10:00:00.000Z",
    ...fields,
  };
}

function anAgent(name: string, parts: AgentParts, calls: unknown[][]): CliAgent {
  const recorded = <T extends (...args: never[]) => unknown>(method: string, given: T | undefined, usual: T): T =>
    ((...args: Parameters<T>) => {
      calls.push([method, ...args.filter((arg) => !isTurnConfig(arg))]);
      return (given ?? usual)(...args);
    }) as T;
  const settled = async () => anOutcome();
  return {
    workflow: {
      name,
      machine: { disabled: false },
      resolveSession: recorded("resolveSession", parts.resolveSession, async (firing) => ({
        sessionId: firing.sessionId ?? "session-1",
        disposition: "turn" as const,
        native: firing.sessionId === undefined,
      })),
      send: recorded("send", parts.send, settled),
      decide: recorded("decide", parts.decide, settled),
      reply: recorded("reply", parts.reply, settled),
      deliver: recorded("deliver", parts.deliver, settled),
    },
    sessions: {
      list: recorded("list", parts.list, async () => []),
      get: recorded("get", parts.get, async () => null),
    },
    wake: recorded("wake", parts.wake, async () => ({ due: 0, woken: 0 })),
    close: async () => void calls.push(["close"]),
  };
}

function isTurnConfig(value: unknown): boolean {
  return typeof value === "object" && value !== null && "signal" in value;
}
