/** What refuses a delegation call before any child exists (R-174…R-176, W-246). */
import { readableEvidencePath, visibilityFilter } from "../../kernel/index.js";
import type { Machine } from "../../machine/types.js";
import { seedProblem } from "../../session/arrive/seeds.js";
import { valuesOf } from "../../session/variables.js";
import {
  MANUAL_TRIGGER,
  resolveReferenceValue,
  signatureValueIssues,
  substituteReferences,
  wholeReference,
  workflowToolName,
} from "../../spec/index.js";
import type { SignatureEntry } from "../../spec/types.js";
import { fileIssues } from "../file-facts.js";
import type { Turn } from "../types.js";

export type DelegationRefusal =
  | "unresolved-param"
  | "missing-param"
  | "invalid-param"
  | "unknown-workflow"
  | "not-delegatable"
  | "disabled"
  | "depth-exceeded"
  | "cycle";

export type Refused = { ok: false; kind: DelegationRefusal; reason: string };
/** The target, as its text stands now. */
export type Checked = { ok: true; machine: Machine } | Refused;

/** R-182, W-247. */
const MAX_DEPTH = 3;

export type ResolvedArguments =
  | { ok: true; args: Record<string, unknown> }
  /** `reference` as written, with its braces. */
  | { ok: false; reference: string; reason: string };

/** An argument that is one reference and nothing else passes the value with its own type; all other text as R-92. */
export function resolveArguments(
  args: Record<string, unknown>,
  variables: Readonly<Record<string, unknown>>,
): ResolvedArguments {
  const resolved: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(args)) {
    const inner = typeof value === "string" ? wholeReference(value) : undefined;
    if (inner === undefined) {
      const substituted = substituteReferences({ value }, variables);
      if (!substituted.ok) return substituted;
      resolved[name] = substituted.args.value;
    } else {
      const found = resolveReferenceValue(inner, variables);
      if (!found.ok) return { ok: false, reference: `\${{${inner}}}`, reason: found.reason };
      resolved[name] = found.value;
    }
  }
  return { ok: true, args: resolved };
}

/** The first refusal in the order of R-176, or the target. */
export async function checkDelegation(turn: Turn, workflow: string, resolved: ResolvedArguments): Promise<Checked> {
  const machine = await turn.host.machineOf(workflow).catch((error: unknown) => messageOf(error));
  if (typeof machine === "string") {
    return refused("unknown-workflow", `the workflow "${workflow}" cannot be loaded: ${machine}`);
  }
  const manual = machine.triggers.get(MANUAL_TRIGGER);
  if (!manual) {
    return refused("not-delegatable", `the workflow "${workflow}" declares no trigger ${MANUAL_TRIGGER}.`);
  }
  if (machine.disabled) return refused("disabled", `the workflow "${workflow}" is out of service.`);
  if (!resolved.ok) {
    const { reference, reason } = resolved;
    const wayOut = `To write the characters themselves, put a $ in front: $${"$"}{{…}}.`;
    return refused("unresolved-param", `the reference ${reference} cannot be resolved: ${reason}. ${wayOut}`);
  }
  const param = await badArgument(turn, workflow, { requires: manual.signature.requires, args: resolved.args });
  if (param) return param;
  const { chain } = turn.lineage;
  if (chain.length > MAX_DEPTH) {
    return refused("depth-exceeded", `at most ${MAX_DEPTH} delegations stand one below another: ${chain.join(" > ")}.`);
  }
  if (chain.includes(workflow)) {
    return refused("cycle", `the workflow "${workflow}" is already running in this chain: ${chain.join(" > ")}.`);
  }
  return { ok: true, machine };
}

interface Given {
  requires: readonly SignatureEntry[];
  args: Record<string, unknown>;
}

export function refusalText(tool: string, { kind, reason }: Refused): string {
  return `${tool} was refused (${kind}): ${reason}`;
}

async function badArgument(turn: Turn, workflow: string, { requires, args }: Given): Promise<Refused | null> {
  const issues = signatureValueIssues(requires, args, { now: turn.host.clock.now() });
  const missing = issues.filter(({ kind }) => kind === "missing");
  if (missing.length > 0) {
    return refused("missing-param", `these arguments are required: ${missing.map(({ name }) => name).join(", ")}.`);
  }
  const invalid = issues.map(({ message }) => message);
  const problem = seedProblem(args, "the arguments");
  if (problem) invalid.push(problem.message);
  if (invalid.length === 0) invalid.push(...(await badFiles(turn, workflow, { requires, args })));
  return invalid.length > 0 ? refused("invalid-param", invalid.join(" ")) : null;
}

/** What the runtime keeps for itself, or the calling state is not given (a mount, a skill), is no file of its to hand on. */
async function badFiles(turn: Turn, workflow: string, { requires, args }: Given): Promise<string[]> {
  const { machine, assembly, writer } = turn;
  const isGiven = visibilityFilter(machine, assembly.tables, {
    state: writer.state.fields.position ?? "",
    tool: workflowToolName(workflow),
    variables: valuesOf(writer.state.variables),
  });
  const hidden = requires.flatMap(({ name, type }) => {
    if (type !== "file") return [];
    const path = args[name] as string;
    if (readableEvidencePath(path, assembly.tables.mounts).ok && isGiven(path)) return [];
    return [`"${name}" must be the path of a file that this state is given; got ${JSON.stringify(path)}.`];
  });
  return hidden.length > 0 ? hidden : fileIssues(turn.workspace, requires, args);
}

function refused(kind: DelegationRefusal, reason: string): Refused {
  return { ok: false, kind, reason };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
