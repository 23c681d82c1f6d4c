/** What the crash matrix runs: the bundled examples, one message with three calls at once, a grader in the middle of a turn, children of whom one parks, a script that fans out, calls that a host has a say in, completion gates, and a limit. */
import { join } from "node:path";
import type { Completion, ExtensionOptions } from "../../lib/extensions/types.js";
import type { ArrivalInput } from "../../lib/session/arrival.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { readOutbox } from "../../workflows/refund-desk/host/outbox.ts";
import { refundDeskTools } from "../../workflows/refund-desk/host/tools.ts";
import { busyProvider, SHORT_MS } from "./busy-provider.js";
import { effectTools, readEffects } from "./effect-tools.js";
import { guards } from "./guards.js";

export const REPOSITORY = join(import.meta.dirname, "..", "..");

export type Step =
  | { input: ArrivalInput }
  /** Time passes, then whatever is due is worked on. */
  | { waitMs: number };

export interface Scenario {
  name: string;
  workflow: string;
  rootDir: string;
  sessionId: string;
  /** A scripted model, from the repository's root. */
  script?: string;
  /** Settings of a model behind HTTP instead, for one run of the scenario. */
  provider?(run: string): Promise<Record<string, string>>;
  /** How long an invocation lasts, in milliseconds; as long as it takes unless given. */
  invocationMs?: number;
  steps: Step[];
  /** It is long: the ordinary run of the matrix ends the world once for each of its operations. */
  modesInTurns?: true;
  /** Host tools whose effects land in `dir`, and what is found there afterwards. */
  tools?(dir: string): ReturnType<typeof toolsFromMap>;
  effects?(dir: string): unknown;
  /** What the host sets around calls, made anew by each process. */
  extensions?(): ExtensionOptions;
}

const visit = { visit_id: "visit-1", plate: "ab-12 cd", visitor: "Ada" };
const refund = { customer_email: "leo@mail.example", asked_on: "2026-03-20" };

function refundTools(dir: string) {
  const ordersFile = join(REPOSITORY, "workflows", "refund-desk", "host", "orders.json");
  return toolsFromMap(refundDeskTools({ ordersFile, outboxDir: dir }) as Parameters<typeof toolsFromMap>[0]);
}

/** Holds a run to two notes, whichever attempt and process they were written in. */
const twoNotes: Completion = {
  maxAttempts: 2,
  verify({ toolCalls }) {
    const count = toolCalls.filter(({ name, isError }) => name === "note_down" && !isError).length;
    return count === 2 ? { ok: true } : { ok: false, reason: `${count} of 2 notes` };
  },
};

export const SCENARIOS: Scenario[] = [
  {
    name: "hello-park",
    workflow: "hello-park",
    rootDir: REPOSITORY,
    sessionId: "visit-1",
    steps: [
      { input: { kind: "turn", message: "A car is at the gate.", variables: visit } },
      { input: { kind: "decision", target: "hold-car" } },
      { input: { kind: "decision", target: "open-barrier", comment: "In the book.", decidedBy: "gate" } },
      { input: { kind: "turn", trigger: "exit_camera", variables: { visit_id: "visit-1" } } },
    ],
  },
  {
    name: "hello-wait",
    workflow: "hello-wait",
    rootDir: REPOSITORY,
    sessionId: "pause-1",
    script: "workflows/hello-wait/demo/replies.yaml",
    steps: [
      { input: { kind: "turn", message: "Cool the barrier down.", variables: { minutes: 5 } } },
      { waitMs: 300_000 },
    ],
  },
  {
    name: "refund-desk",
    workflow: "refund-desk",
    rootDir: REPOSITORY,
    sessionId: "case-1",
    script: "test/scripts/refund-large.yaml",
    steps: [
      { input: { kind: "turn", message: "Please refund order NL-310.", variables: refund } },
      { input: { kind: "reply", message: "How long will it take?" } },
      { input: { kind: "decision", target: "draft-email", comment: "Fine.", decidedBy: "lead" } },
    ],
    tools: refundTools,
    effects: readOutbox,
  },
  {
    name: "three calls at once",
    workflow: "three-calls",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "calls-1",
    script: join(import.meta.dirname, "three-calls.yaml"),
    steps: [{ input: { kind: "turn", message: "Do the three things." } }],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "a grader between two agent states",
    workflow: "graded",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "graded-1",
    script: join(import.meta.dirname, "graded.yaml"),
    steps: [{ input: { kind: "turn", message: "Write it down." } }],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "scripts with effects",
    workflow: "scripted",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "scripts-1",
    script: join(import.meta.dirname, "script-with-effects.yaml"),
    steps: [{ input: { kind: "turn", message: "Do the three things." } }],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "calls that a host denies, changes and answers",
    workflow: "guarded",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "guarded-1",
    script: join(import.meta.dirname, "guarded.yaml"),
    steps: [{ input: { kind: "turn", message: "Do it twice." } }],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
    extensions: guards,
  },
  {
    name: "a child that parks and is decided",
    modesInTurns: true,
    workflow: "delegating",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "desk-1",
    script: join(import.meta.dirname, "delegating.yaml"),
    steps: [
      { input: { kind: "turn", message: "Have an offer sent." } },
      { input: { kind: "decision", target: "send", decidedBy: "lead" } },
    ],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "two children of which one parks",
    modesInTurns: true,
    workflow: "two-children",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "both-1",
    script: join(import.meta.dirname, "two-children.yaml"),
    steps: [
      { input: { kind: "turn", message: "Have both done." } },
      { input: { kind: "decision", target: "send", decidedBy: "lead" } },
    ],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "a script that fans out to three children",
    modesInTurns: true,
    workflow: "fan-out",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "spread-1",
    script: join(import.meta.dirname, "fan-out.yaml"),
    steps: [{ input: { kind: "turn", message: "Have all three done." } }],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "a file that goes to a child and another that comes back",
    modesInTurns: true,
    workflow: "sending",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "clerk-1",
    script: join(import.meta.dirname, "crossing-files.yaml"),
    steps: [{ input: { kind: "turn", message: "Have it read." } }],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "a completion check that fails once, before the session parks",
    modesInTurns: true,
    workflow: "gated",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "gated-1",
    script: join(import.meta.dirname, "gated.yaml"),
    steps: [
      { input: { kind: "turn", message: "Write it down." } },
      { input: { kind: "decision", target: "send", decidedBy: "lead" } },
    ],
    extensions: () => ({ completion: twoNotes }),
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "a child with a completion gate",
    modesInTurns: true,
    workflow: "checking",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "checking-1",
    script: join(import.meta.dirname, "checking.yaml"),
    steps: [{ input: { kind: "turn", message: "Have it written down." } }],
    extensions: () => ({ agents: { checked: { completion: twoNotes } } }),
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "a provider that asks to wait longer than the invocation has",
    modesInTurns: true,
    workflow: "patient",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "patient-1",
    provider: (run) => busyProvider(join(import.meta.dirname, "patient.yaml"), run),
    invocationMs: SHORT_MS,
    steps: [{ input: { kind: "turn", message: "Have it done." } }],
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "a child, a script's children and a grader, up to the turn's limit",
    modesInTurns: true,
    workflow: "metered",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "metered-1",
    script: join(import.meta.dirname, "metered.yaml"),
    steps: [{ input: { kind: "turn", message: "Have all of it done." } }],
    // What all of them use together: were one part lost, another call would be made.
    extensions: () => ({ limits: { maxTokensPerTurn: 10_171 } }),
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
  {
    name: "requests that are compacted",
    modesInTurns: true,
    workflow: "talk",
    rootDir: join(import.meta.dirname, "workspace"),
    sessionId: "talk-1",
    script: join(import.meta.dirname, "talk.yaml"),
    steps: ["First.", "Second.", "Third.", "Fourth."].map((message) => ({ input: { kind: "turn", message } })),
    // A summary that is made twice, or used for other messages than it is of, would say so.
    extensions: () => ({
      compaction: { maxTokens: 40, keepTail: 25, summarize: (older) => older.map(({ content }) => content).join("|") },
    }),
    tools: (dir) => toolsFromMap(effectTools(dir)),
    effects: readEffects,
  },
];
