/** The spec as the rest of the house reads it, and walks over it that several rules share. */

import type { DocumentPath } from "./diagnostics.js";
import { isMapping, own, setOwn } from "./own.js";
import type { StateSpec, StateType, ToolEntry, TransitionSpec, TriggerSpec, WorkflowSpec } from "./types.js";

/** A spec whose shape holds, with its states in document order. */
export interface SpecView {
  spec: WorkflowSpec;
  /** What the author wrote under `disabled`. */
  authoredDisabled: unknown;
  states: StateView[];
  stateOf(slug: string): StateView | undefined;
}

export interface StateView {
  slug: string;
  type: StateType;
  spec: StateSpec;
  transitions: readonly TransitionSpec[];
  triggers: [id: string, declaration: TriggerSpec][];
  path: DocumentPath;
}

/**
 * Reads empty states and declarations as `{}` and `disabled` as a boolean (W-19, W-27, W-60); everything else is kept as
 * authored. The document's shape must hold.
 */
export function specFromDocument(document: Record<string, unknown>): WorkflowSpec {
  const disabled = own(document, "disabled") ?? false;
  const states = {};
  for (const [slug, state] of Object.entries(document.states as Record<string, StateSpec | null>)) {
    setOwn(states, slug, withTriggers(state ?? {}));
  }
  const spec = { ...document, states } as WorkflowSpec;
  delete spec.disabled;
  return disabled === false ? spec : { ...spec, disabled: true };
}

export function viewSpec(spec: WorkflowSpec, stateOrder: readonly string[], authoredDisabled: unknown): SpecView {
  const states = stateOrder.map((slug): StateView => {
    const state = spec.states[slug]!;
    return {
      slug,
      type: state.type ?? "agent",
      spec: state,
      transitions: state.transitions ?? [],
      triggers: Object.entries(state.triggers ?? {}),
      path: ["states", slug],
    };
  });
  const bySlug = new Map(states.map((state) => [state.slug, state]));
  return { spec, authoredDisabled, states, stateOf: (slug) => bySlug.get(slug) };
}

/** Grader and code states run by themselves. */
export function isAutomated(state: StateView): boolean {
  return state.type === "grader" || state.type === "code";
}

/** The names of a signature list as authored. */
export function signatureNames(list: TriggerSpec["requires"]): string[] {
  return (list ?? []).map((item) => (typeof item === "string" ? item : item.name));
}

/** The name a tools entry grants or denies. */
export function toolNameOf(entry: ToolEntry): string {
  return typeof entry === "string" ? entry : entry.tool;
}

export interface GuardGlob {
  glob: string;
  path: DocumentPath;
  /** In a list of the root, which binds in every state. */
  everywhere: boolean;
}

/** Every argument glob of the tools lists, root first. */
export function guardGlobs(view: SpecView): GuardGlob[] {
  const { tools } = view.spec;
  const lists: [entries: ToolEntry[] | undefined, path: DocumentPath, everywhere: boolean][] = [
    [tools?.allow_always, ["tools", "allow_always"], true],
    [tools?.forbid_always, ["tools", "forbid_always"], true],
  ];
  for (const state of view.states) {
    lists.push([state.spec.tools?.allow, [...state.path, "tools", "allow"], false]);
    lists.push([state.spec.tools?.forbid, [...state.path, "tools", "forbid"], false]);
  }
  return lists.flatMap(([entries, path, everywhere]) =>
    (entries ?? []).flatMap((entry, index) => {
      if (typeof entry === "string") return [];
      const entryPath = [...path, index];
      const found = globsAt(entry.paths, [...entryPath, "paths"]);
      for (const [name, globs] of Object.entries(entry.args ?? {})) {
        found.push(...globsAt(globs, [...entryPath, "args", name]));
      }
      return found.map((guard) => ({ ...guard, everywhere }));
    }),
  );
}

function globsAt(globs: string | string[] | undefined, path: DocumentPath): { glob: string; path: DocumentPath }[] {
  if (globs === undefined) return [];
  if (typeof globs === "string") return [{ glob: globs, path }];
  return globs.map((glob, index) => ({ glob, path: [...path, index] }));
}

function withTriggers(state: StateSpec): StateSpec {
  if (!isMapping(state.triggers)) return state;
  const triggers = {};
  for (const [id, declaration] of Object.entries(state.triggers)) setOwn(triggers, id, declaration ?? {});
  return { ...state, triggers };
}
