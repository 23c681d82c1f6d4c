/** Findings of each state by itself: its slug, the keys its type may use (W-61, W-62), its evidence, tools never offered. */
import type { DiagnosticCode } from "./diagnostic-codes.js";
import type { Finding } from "./diagnostics.js";
import { isAutomated, type SpecView, type StateView, toolNameOf } from "./document.js";
import { isSlug } from "./names.js";
import { isBlank } from "./own.js";
import type { StateType } from "./types.js";

export function statesLint(view: SpecView): Finding[] {
  return view.states.flatMap((state) => [
    ...slugLint(state),
    ...requiredKeys(state),
    ...misplacedKeys(state),
    ...terminalLint(state),
    ...decisionLint(state),
    ...evidenceLint(state),
    ...withheldToolsLint(state),
  ]);
}

/** W-55. */
function slugLint({ slug, path }: StateView): Finding[] {
  if (slug === "") return [{ code: "state/slug-empty", path, message: "A state's key is empty; give it a slug." }];
  if (isSlug(slug)) return [];
  const message = `"${slug}" is no slug: lower-case letters and digits, words joined by single hyphens.`;
  return [{ code: "state/slug", path, message }];
}

function requiredKeys({ slug, type, spec, transitions, path }: StateView): Finding[] {
  if (type !== "human" && type !== "grader") return [];
  const findings: Finding[] = [];
  if (isBlank(spec.instructions)) {
    const purpose = type === "human" ? "what a person is to decide" : "the criteria to judge by";
    const message = `The ${type} state "${slug}" needs \`instructions\`: ${purpose}.`;
    findings.push({ code: `${type}/no-instructions`, path: [...path, "instructions"], message });
  }
  if (transitions.length === 0) {
    const message = `The ${type} state "${slug}" needs at least one transition.`;
    findings.push({ code: `${type}/no-transitions`, path: [...path, "transitions"], message });
  }
  return findings;
}

/** Cells of the table of W-61 that name a code for a key that is present; every other cell is "ok". */
const MISPLACED: readonly [key: string, codes: Partial<Record<StateType, DiagnosticCode>>][] = [
  ["instructions", { code: "code/forbidden-key" }],
  ["requires", { human: "state/inert-key" }],
  ["locks", { human: "locks/unwritable" }],
  ["model", { code: "code/forbidden-key" }],
  ["budget.maxTurns", { human: "state/inert-key", code: "code/forbidden-key" }],
  ["budget.timeoutMs", { human: "state/inert-key", code: "code/forbidden-key" }],
  ["budget.maxParks", { human: "state/inert-key", grader: "grader/forbidden-key", code: "code/forbidden-key" }],
  ["on_error", { human: "state/inert-key" }],
  ["evidence", { agent: "state/inert-key", grader: "grader/forbidden-key", code: "code/forbidden-key" }],
  ["approvers", { agent: "state/inert-key", grader: "grader/forbidden-key", code: "code/forbidden-key" }],
];

const STATE_TYPES: readonly StateType[] = ["agent", "human", "grader", "code"];

function misplacedKeys({ slug, type, spec, path }: StateView): Finding[] {
  return MISPLACED.flatMap(([key, codes]): Finding[] => {
    const code = codes[type];
    const keys = key.split(".");
    if (code === undefined || !isPresent(spec, keys)) return [];
    const readers = STATE_TYPES.filter((other) => codes[other] === undefined).join(", ");
    const message = `The ${type} state "${slug}" never reads \`${key}\`; states of type ${readers} do. Remove it.`;
    return [{ code, path: [...path, ...keys], message }];
  });
}

function isPresent(spec: StateView["spec"], [key, inner]: string[]): boolean {
  const value = (spec as Record<string, unknown>)[key!];
  // A blank `instructions` counts as absent.
  if (key === "instructions") return !isBlank(value as string | undefined);
  if (inner === undefined) return value !== undefined;
  return (value as Record<string, unknown> | undefined)?.[inner] !== undefined;
}

/** W-147: nothing leaves a terminal state, so nothing evaluates its `requires`. */
function terminalLint({ slug, type, spec, transitions, path }: StateView): Finding[] {
  if (spec.requires === undefined || transitions.length > 0 || type === "human") return [];
  const message = `The terminal state "${slug}" never reads \`requires\`; states with a transition do. Remove it.`;
  return [{ code: "state/inert-key", path: [...path, "requires"], message }];
}

const OUTCOME_CLASSES = ["approve", "reject", "refine"];

/** W-67. */
function decisionLint({ slug, type, transitions, path }: StateView): Finding[] {
  if (type !== "human") return [];
  const seen = new Set<string>();
  return transitions.flatMap((transition, index) => {
    const at = [...path, "transitions", index];
    const findings: Finding[] = [];
    if (transition.to === slug) {
      const message = `The human state "${slug}" leads to itself; a decision must move the session on.`;
      findings.push({ code: "human/self-edge", path: [...at, "to"], message });
    }
    const outcome = transition.type ?? "none";
    if (OUTCOME_CLASSES.includes(outcome) && seen.has(outcome)) {
      const message = `"${slug}" has two transitions of type ${outcome}; keep one, or write \`none\`.`;
      findings.push({ code: "human/duplicate-type", path: [...at, "type"], message });
    }
    seen.add(outcome);
    return findings;
  });
}

const INTERNAL_AREAS = ["checkpoints", "artifacts", "_specs"];

/** W-68. On other types the key as a whole is a finding. */
function evidenceLint({ type, spec, path }: StateView): Finding[] {
  if (type !== "human") return [];
  return (spec.evidence ?? []).flatMap((authored, index) => {
    const at = [...path, "evidence", index];
    const findings: Finding[] = [];
    if (authored.startsWith("/")) {
      const message = `"${authored}" begins with a slash, which is ignored: paths are relative to the session's workspace.`;
      findings.push({ code: "path/leading-slash", path: at, message });
    }
    const segments = canonicalSegments(authored);
    if (segments === undefined || INTERNAL_AREAS.includes(segments[0] ?? "")) {
      const message = `"${authored}" cannot be opened: it ${segments ? "lies in an area of the runtime" : "leaves the workspace"}.`;
      findings.push({ code: "path/unreadable", path: at, message });
    } else if (segments[0] === "workflows") {
      const message = `"${authored}" lies under workflows/, which no reviewer or agent can open.`;
      findings.push({ code: "path/authoring-plane", path: at, message });
    }
    return findings;
  });
}

/** Segments with `.` and `..` applied; undefined when they climb out. */
function canonicalSegments(path: string): string[] | undefined {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") segments.push(segment);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments;
}

/** W-78. */
const WITHHELD_TOOLS = ["archmax_eval", "archmax_run", "archmax_wait", "archmax_reset", "write_todos"];

function withheldToolsLint(state: StateView): Finding[] {
  if (!isAutomated(state)) return [];
  return (state.spec.tools?.allow ?? []).flatMap((entry, index): Finding[] => {
    const tool = toolNameOf(entry);
    if (!WITHHELD_TOOLS.includes(tool)) return [];
    const message = `"${tool}" is never offered to a ${state.type} state; remove it from "${state.slug}".`;
    return [{ code: "automated/tool-never-offered", path: [...state.path, "tools", "allow", index], message }];
  });
}
