/** The delegations a workflow can reach, walked from it down (W-246…W-248, W-33). */
import { compileMachine } from "../../machine/index.js";
import { isSlug, MANUAL_TRIGGER, parseSpec, workflowPaths, workflowSlugFromToolName } from "../../spec/index.js";
import type { AuthoredFiles } from "./files.js";
import { reachableFrom, reachableStates } from "./reach.js";
import { type Pass, quote, type Report, type Subject, statesOf } from "./subject.js";
import { isBare, type PlacedEntry, rootEntries, stateEntries } from "./tool-entries.js";

/** W-247: delegations in one chain. */
const MAX_DEPTH = 3;
/** Model providers accept no longer tool name. */
const MAX_TOOL_NAME = 64;

/** @param reporterFor - where findings about another workflow's document go */
export async function checkSubWorkflows(
  { subject, files }: Pick<Pass, "subject" | "files">,
  reporterFor: (subject: Subject) => Report,
): Promise<void> {
  const targets = new Map<string, Promise<Subject | null>>();
  const load = (slug: string) => {
    const known = targets.get(slug) ?? loadTarget(slug, files);
    targets.set(slug, known);
    return known;
  };
  const said = new Set<string>();
  const walk = async (caller: Subject, chain: readonly string[]): Promise<void> => {
    const report = once(said, caller, reporterFor(caller));
    for (const { grant, target } of delegations(caller)) {
      const found = await checkTarget({ grant, target, chain, load, report });
      if (found === null) continue;
      checkParkingInScript(caller, { grant, target: found, report });
      await walk(found, [...chain, target]);
    }
  };
  await walk(subject, [subject.workflow]);
}

interface TargetCheck {
  grant: PlacedEntry;
  target: string;
  /** From the validated workflow to the caller. */
  chain: readonly string[];
  load(slug: string): Promise<Subject | null>;
  report: Report;
}

/** Reports what keeps the target from being called; a target that can be, to go on from. */
async function checkTarget({ grant, target, chain, load, report }: TargetCheck): Promise<Subject | null> {
  const { tool, path } = grant;
  if (!isSlug(target)) {
    report({
      code: "subworkflow/bad-slug",
      path,
      message: `${quote(target)} in ${quote(tool)} is no slug; write the name of a directory in workflows/.`,
    });
    return null;
  }
  if (tool.length > MAX_TOOL_NAME) {
    report({
      code: "subworkflow/name-too-long",
      path,
      message: `${quote(tool)} has ${tool.length} characters, and model providers accept ${MAX_TOOL_NAME}; shorten the workflow's name.`,
    });
  }
  if (chain.includes(target)) {
    report({
      code: "subworkflow/cycle",
      path,
      message: `${[...chain, target].join(" → ")} comes back to ${quote(target)}, which a running chain refuses; remove the grant.`,
    });
    return null;
  }
  const found = await load(target);
  if (found === null) {
    report({
      code: "subworkflow/missing",
      path,
      message: `${workflowPaths(target).spec} is missing or cannot be loaded; validate ${quote(target)} on its own.`,
    });
    return null;
  }
  if (!found.machine.triggers.has(MANUAL_TRIGGER)) {
    report({
      code: "subworkflow/no-manual",
      path,
      message: `${quote(target)} declares no manual trigger, which a delegation enters; declare one on the state it starts in.`,
    });
    return null;
  }
  if (chain.length > MAX_DEPTH) {
    report({
      code: "subworkflow/too-deep",
      path,
      message: `${[...chain, target].join(" → ")} is a chain of ${chain.length} delegations, ${MAX_DEPTH} are allowed.`,
    });
    return null;
  }
  if (found.machine.disabled) {
    report({
      code: "subworkflow/target-disabled",
      path,
      message: `${quote(target)} is out of service (disabled: true), so calls of ${quote(tool)} are refused.`,
    });
  }
  return found;
}

/** An automated state cannot park, so a child that does fails the call (W-79). */
function checkParkingInScript(
  caller: Subject,
  { grant, target, report }: { grant: PlacedEntry; target: Subject; report: Report },
): void {
  const entry = target.machine.triggers.get(MANUAL_TRIGGER)?.state ?? "";
  const human = [...reachableFrom(target.machine, [entry])].find(
    (slug) => target.machine.states.get(slug)?.type === "human",
  );
  if (human === undefined) return;
  const reached = reachableStates(caller.machine);
  for (const state of statesOf(caller)) {
    const granted = grant.state === null ? reached.has(state.slug) : grant.state === state.slug;
    if (!granted || !state.automated) continue;
    report({
      code: "subworkflow/may-park-in-script",
      path: grant.path,
      message: `${quote(target.workflow)} can wait for a person in ${quote(human)}, and a call from the ${state.type} state ${quote(state.slug)} then fails; call it from an agent state.`,
    });
  }
}

/** The delegation grants of reachable states and of the root that no bare denial takes away. */
function delegations(caller: Subject): { grant: PlacedEntry; target: string }[] {
  const reached = reachableStates(caller.machine);
  const root = rootEntries(caller);
  const lists = [
    root,
    ...([...reached].length > 0
      ? statesOf(caller)
          .filter(({ slug }) => reached.has(slug))
          .map(({ slug }) => stateEntries(caller, slug))
      : []),
  ];
  return lists.flatMap((entries) => {
    const denied = [...root, ...entries]
      .filter(({ kind, entry }) => kind === "denial" && isBare(entry))
      .map(({ tool }) => tool);
    return entries.flatMap((grant) => {
      const target = workflowSlugFromToolName(grant.tool);
      if (grant.kind === "denial" || target === null || denied.includes(grant.tool) || denied.includes("*")) return [];
      return [{ grant, target }];
    });
  });
}

async function loadTarget(slug: string, files: AuthoredFiles): Promise<Subject | null> {
  const file = workflowPaths(slug).spec;
  const text = await files.read(file);
  if (text === null) return null;
  const parsed = parseSpec(text, { file });
  if (!parsed.ok) return null;
  return { workflow: slug, file, spec: parsed.spec, machine: compileMachine(parsed, slug), locate: parsed.locate };
}

/** A workflow reached over two chains is walked twice; each of its findings is said once. */
function once(said: Set<string>, { file }: Subject, report: Report): Report {
  return (finding, elsewhere) => {
    const key = JSON.stringify([
      file,
      finding.code,
      finding.path,
      finding.code === "subworkflow/cycle" ? "" : finding.message,
    ]);
    if (said.has(key)) return;
    said.add(key);
    report(finding, elsewhere);
  };
}
