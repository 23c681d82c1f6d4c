/** A workflow whose letter is graded, and a model that tells its two roles apart, for the tests of grader states. */
import { type ToolDescriptor, toolsFromMap } from "../../lib/tools/index.js";
import type { Bench, BenchOptions } from "../harness/agent.js";
import type { RecordedRequest, ServerReply } from "../model-server/index.js";
import { advance, calls, says, system } from "./support.js";

/** `budget` and `more` are put into the grader's state as they are. */
export const graded = (more = "") => `
instructions: The workflow's own instructions.
states:
  work:
    triggers: { manual: , ordered: { message: false } }
    instructions: Write the letter.
    transitions: [{ to: grade, description: Written. }]
  grade:
    type: grader
    title: The secret title
    instructions: The letter is polite.
    tools: { allow: [probe, read_file, write_file, write_todos, archmax_wait, ls] }
    transitions:
      - { to: send, type: approve, description: It is polite. }
      - { to: work, type: refine }
      - { to: ask, description: Nobody can tell. }
    on_error: rescue
    ${more}
  send: { instructions: Send it. }
  ask: { type: human, instructions: Decide., transitions: [{ to: send, description: Fine. }] }
  rescue: { instructions: Mend. }
`;

export const readsHistory = calls(["archmax_get_history"]);
export const passes = advance("send", { reason: "It is polite." });

/** Whether a request is the grader's. */
export function isGraders(request: RecordedRequest): boolean {
  return system(request).startsWith("# How you judge here");
}

export interface GradedOptions extends Omit<BenchOptions, "replies" | "answer"> {
  /** The agent's replies, in order: on to the grade, then an end, unless given; the last one answers from then on. */
  agent?: readonly ServerReply[];
  /** The grader's replies, in order. */
  grader: readonly ServerReply[];
}

/** A bench whose model answers each role from its own list. */
export async function aGraded(
  open: (options: BenchOptions) => Promise<Bench>,
  { agent = [advance("grade"), says("end")], grader, ...options }: GradedOptions,
) {
  let asked = 0;
  let judged = 0;
  const ran: unknown[] = [];
  const bench = await open({
    spec: graded(),
    tools: probes(ran),
    ...options,
    answer(request) {
      if (!isGraders(request)) return agent[Math.min(asked++, agent.length - 1)]!;
      const reply = grader[judged++];
      return reply ?? { status: 400, error: { message: `The test has only ${grader.length} replies of the grader.` } };
    },
  });
  const send = (config = {}) => bench.agent.workflow.send("s1", { message: "Write to Ada." }, config);
  return { bench, ran, send, graderRequests: () => bench.requests.filter(isGraders) };
}

/** Answers with its arguments, and keeps them in `ran`. */
export function probes(ran: unknown[], more: Partial<ToolDescriptor> = {}) {
  return toolsFromMap({
    probe: {
      description: "Looks.",
      inputSchema: { type: "object", properties: { what: { type: "string" } } },
      handler: (args, context) => {
        ran.push(args);
        if (args.fail) throw new Error("The probe is down.");
        if (args.deaf) return new Promise(() => {});
        if (args.hang) {
          return new Promise((_, reject) => {
            context.signal.addEventListener("abort", () => {
              ran.push("told to stop");
              reject(new Error("stopped"));
            });
          });
        }
        if (args.long) return "y".repeat(90_000);
        return { saw: args.what ?? null };
      },
      ...more,
    },
    other: { description: "Granted to nobody.", inputSchema: { type: "object" }, handler: () => "other ran" },
  });
}

/** The texts that a request's tool messages answer with, in order. */
export function answersIn(request: RecordedRequest | undefined): string[] {
  return (request?.body.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content));
}
