/** Variables, their locks and who may write them (R-81…R-90, W-139…W-153). */
import type { Machine } from "../machine/types.js";
import { isVariableName, signatureValueIssues, titleIssue } from "../spec/index.js";
import type { SignatureEntry } from "../spec/types.js";
import type { EventDraft } from "./events.js";
import type { SessionPatch, SessionState, Variable } from "./state.js";

/** Name to value, as scripts, references and signatures see the store. */
export function valuesOf(variables: Readonly<Record<string, Variable>>): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const name of Object.keys(variables)) values[name] = variables[name]?.value;
  return values;
}

export type WriteVerdict =
  | { ok: true; patch: SessionPatch; events: EventDraft[]; names: string[] }
  | { ok: false; code: string; text: string };

export interface VariableWrite {
  variables: Record<string, unknown>;
  lock: boolean;
  callId: string;
  /** Epoch milliseconds, for `today` and `now` bounds (W-127). */
  now: number;
}

/** One `archmax_set_variables` call: atomic, the first refused name refuses it. */
export function judgeWrite(machine: Machine, state: SessionState, write: VariableWrite): WriteVerdict {
  const names = Object.keys(write.variables);
  if (names.length === 0) return { ok: false, code: "nothing-to-write", text: "No variable was given to write." };
  for (const name of names) {
    const refusal = refuseName(machine, state, write, name);
    if (refusal) return { ok: false, ...refusal };
  }
  const position = state.fields.position ?? "";
  const written: Record<string, Variable> = {};
  for (const name of names) {
    const value = name === "title" ? String(write.variables[name]).trim() : write.variables[name];
    written[name] = write.lock ? { value, locked: true, lockedBy: "agent" } : { value, locked: false };
  }
  const events: EventDraft[] = [
    { type: "variables-set", state: position, names, locked: write.lock, callId: write.callId },
  ];
  const title = written.title;
  if (title && title.value !== ownVariable(state, "title")?.value) {
    events.push({ type: "title-set", title: String(title.value), state: position, callId: write.callId });
  }
  return { ok: true, patch: { variables: written }, events, names };
}

function refuseName(
  machine: Machine,
  state: SessionState,
  write: VariableWrite,
  name: string,
): { code: string; text: string } | null {
  const value = write.variables[name];
  if (!isVariableName(name)) {
    return { code: "name-invalid", text: `"${name}" is no variable name; names match ^[a-z][a-z0-9_]*$.` };
  }
  if (name === "trigger") {
    return { code: "variable-reserved", text: 'The variable "trigger" is set by the runtime and by nobody else.' };
  }
  const held = ownVariable(state, name);
  if (held?.locked) {
    const shown = JSON.stringify(held.value) ?? "null";
    return { code: "variable-locked", text: `The variable "${name}" is locked and keeps its value: ${shown}.` };
  }
  const owner = ownerOf(machine, name);
  if (owner !== null && owner !== state.fields.position) return ownedElsewhere(machine, state, name, owner);
  if (name === "title") {
    if (write.lock) return { code: "title-lock", text: "The title cannot be locked; write it without lock." };
    const issue = titleIssue(value);
    if (issue) return { code: "title-shape", text: `The title was refused: ${issue}.` };
  }
  return refuseReturnType(machine, state, name, value, write.now);
}

/** R-83, W-150: the owner is named only where the current state leads to it. */
function ownedElsewhere(
  machine: Machine,
  state: SessionState,
  name: string,
  owner: string,
): { code: string; text: string } {
  const reachable = machine.states
    .get(state.fields.position ?? "")
    ?.transitions.some((transition) => transition.to === owner);
  return {
    code: "variable-owned",
    text: reachable
      ? `The variable "${name}" is written in the state ${owner} only; go there to change it.`
      : `The variable "${name}" is decided in another state and cannot be written here.`,
  };
}

function ownerOf(machine: Machine, name: string): string | null {
  for (const [slug, state] of machine.states) if (state.spec.locks?.includes(name)) return slug;
  return null;
}

/** W-133: a typed return of the trigger that opened the turn holds its type and rules at every write. */
function refuseReturnType(
  machine: Machine,
  state: SessionState,
  name: string,
  value: unknown,
  now: number,
): { code: string; text: string } | null {
  const entry = returnsOwed(machine, state).find((candidate) => candidate.name === name && candidate.type);
  if (!entry) return null;
  const issue = signatureValueIssues([entry], { [name]: value }, { now })[0];
  if (!issue) return null;
  return { code: "return-type", text: `${issue.message} Nothing of this call was written; correct it and call again.` };
}

/** The `returns` of the trigger that opened the turn (W-134). */
export function returnsOwed(machine: Machine, state: SessionState): readonly SignatureEntry[] {
  return machine.triggers.get(state.fields.turnTrigger ?? "")?.signature.returns ?? [];
}

export function ownVariable(state: SessionState, name: string): Variable | undefined {
  return Object.hasOwn(state.variables, name) ? state.variables[name] : undefined;
}

/**
 * Values a host supplies, as they land: locked by the host, but for the names in the opening trigger's
 * `returns`, and the title, which is never locked.
 */
export function hostSeeds(
  values: Record<string, unknown>,
  options: { returns: readonly SignatureEntry[]; keepTitle: boolean; heldTitle?: string },
): { variables: Record<string, Variable>; names: string[]; title?: string } {
  const variables: Record<string, Variable> = {};
  let title: string | undefined;
  for (const [name, value] of Object.entries(values)) {
    if (name === "title") {
      if (options.keepTitle && options.heldTitle !== undefined) continue;
      title = String(value).trim();
      variables.title = { value: title, locked: false };
    } else if (options.returns.some((entry) => entry.name === name)) {
      variables[name] = { value, locked: false };
    } else {
      variables[name] = { value, locked: true, lockedBy: "host" };
    }
  }
  return {
    variables,
    names: Object.keys(variables),
    ...(title !== undefined && title !== options.heldTitle ? { title } : {}),
  };
}
