/** From a parsed spec to the machine, and the machine's lookups. */
import { canonicalSpecJson, MANUAL_TRIGGER, signatureForTrigger } from "../spec/index.js";
import type { StateSpec, TransitionSpec, WorkflowSpec } from "../spec/types.js";
import type { Machine, MachineState, MachineTrigger } from "./types.js";

/** What compiling needs of a loaded spec (the `ok` variant of `ParsedSpec`). */
export interface CompilableSpec {
  spec: WorkflowSpec;
  /** Slugs in document order, which a JavaScript object does not keep for slugs such as `1`. */
  stateOrder: readonly string[];
  specHash: string;
  /** The hashed document; made from `spec` where it is not given. */
  specJson?: string;
}

/**
 * Builds the machine of a spec that has no load errors.
 *
 * @param workflow - the workflow's slug: the name of its directory (W-56)
 */
export function compileMachine(parsed: CompilableSpec, workflow: string): Machine {
  const { spec, stateOrder, specHash, specJson = canonicalSpecJson(spec) } = parsed;
  const states = new Map<string, MachineState>();
  const triggers = new Map<string, MachineTrigger>();
  for (const slug of stateOrder) {
    if (!Object.hasOwn(spec.states, slug)) continue;
    const state = compileState(slug, spec.states[slug]!);
    states.set(slug, state);
    for (const trigger of compileTriggers(spec, state)) {
      if (!triggers.has(trigger.id)) triggers.set(trigger.id, trigger);
    }
  }
  return {
    workflow,
    spec,
    specHash,
    specJson,
    disabled: isDisabled(spec.disabled),
    states,
    triggers,
    defaultEntry: defaultEntryOf(states, triggers),
    modelFree: ![...states.values()].some(({ type }) => type === "agent" || type === "grader"),
  };
}

/** The state of that slug, or null: titles and inherited names never resolve (W-5, W-57). */
export function stateOf(machine: Machine, slug: string): MachineState | null {
  return machine.states.get(slug) ?? null;
}

/** The slug of the state that declares the trigger, or null when none does (W-95). */
export function entryStateFor(machine: Machine, triggerId: string): string | null {
  return machine.triggers.get(triggerId)?.state ?? null;
}

/** The first transition of `from` to `to`, or null (W-90). */
export function transitionTo(machine: Machine, from: string, to: string): TransitionSpec | null {
  return stateOf(machine, from)?.transitions.find((transition) => transition.to === to) ?? null;
}

function compileState(slug: string, spec: StateSpec): MachineState {
  const type = spec.type ?? "agent";
  const transitions = spec.transitions ?? [];
  return {
    slug,
    type,
    spec,
    transitions,
    terminal: transitions.length === 0,
    automated: type === "grader" || type === "code",
  };
}

function compileTriggers(spec: WorkflowSpec, state: MachineState): MachineTrigger[] {
  return Object.entries(state.spec.triggers ?? {}).map(([id, declared]) => ({
    id,
    state: state.slug,
    ...(declared.session === undefined ? {} : { session: declared.session }),
    ...(declared.message === undefined ? {} : { message: declared.message }),
    signature: signatureForTrigger(spec, id) ?? { requires: [], returns: [] },
  }));
}

/** W-27: what is neither absent, null nor false keeps a workflow out of service. */
function isDisabled(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false;
}

function defaultEntryOf(
  states: ReadonlyMap<string, MachineState>,
  triggers: ReadonlyMap<string, MachineTrigger>,
): string {
  const manual = triggers.get(MANUAL_TRIGGER);
  const [firstTrigger] = triggers.values();
  const [firstState] = states.keys();
  return manual?.state ?? firstTrigger?.state ?? firstState ?? "";
}
