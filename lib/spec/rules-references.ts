/** Document rules: what one key says about another (W-21). All of them load findings. */
import type { Finding } from "./diagnostics.js";
import type { SpecView, StateView } from "./document.js";
import { isBlank } from "./own.js";

export function documentRules(view: SpecView): Finding[] {
  return [
    ...view.states.flatMap((state) => [...scriptFindings(state), ...targetFindings(state, view)]),
    ...triggerIdFindings(view),
    ...lockOwnerFindings(view),
  ];
}

/** W-61, W-62: a code state has a script, no other does. */
function scriptFindings({ slug, type, spec, path }: StateView): Finding[] {
  if (type === "code" && isBlank(spec.script)) {
    const message = `The code state "${slug}" needs \`script\`: a path under scripts/, such as scripts/check.js.`;
    return [{ code: "code/no-script", path: [...path, "script"], message }];
  }
  if (type !== "code" && spec.script !== undefined) {
    const message = `"${slug}" is of type ${type} and runs no \`script\`; write \`type: code\` or remove the key.`;
    return [{ code: "code/script-on-other-type", path: [...path, "script"], message }];
  }
  return [];
}

function targetFindings(state: StateView, view: SpecView): Finding[] {
  const findings = state.transitions.flatMap((transition, index): Finding[] => {
    const path = [...state.path, "transitions", index];
    const target = view.stateOf(transition.to);
    if (!target) {
      const message = `"${state.slug}" has a transition to "${transition.to}", which is no state. ${knownStates(view)}`;
      return [{ code: "transition/undefined-target", path: [...path, "to"], message }];
    }
    const reason = isBlank(transition.description) ? whyDescribed(state, target) : undefined;
    if (reason === undefined) return [];
    const message = `The transition from "${state.slug}" to "${transition.to}" needs a \`description\`: ${reason}.`;
    return [{ code: "transition/undescribed", path: [...path, "description"], message }];
  });
  const { on_error: onError } = state.spec;
  if (onError !== undefined && !view.stateOf(onError)) {
    const message = `"${state.slug}" names "${onError}" in \`on_error\`, which is no state. ${knownStates(view)}`;
    findings.push({ code: "on-error/undefined-target", path: [...state.path, "on_error"], message });
  }
  return findings;
}

/** Enough names for a small workflow; a large one's would bury the sentence. */
const MAX_NAMES = 20;

function knownStates(view: SpecView): string {
  const names = view.states.slice(0, MAX_NAMES).map(({ slug }) => slug);
  return `States: ${names.join(", ")}${view.states.length > MAX_NAMES ? ", …" : "."}`;
}

/** W-87, W-88. */
function whyDescribed(source: StateView, target: StateView): string | undefined {
  if (source.type === "code") return undefined;
  if (source.type === "human") return "it is the label of a person's button";
  if (target.type === "grader" || target.type === "code") return `"${target.slug}" is a ${target.type} state`;
  return isBlank(target.spec.instructions) ? `"${target.slug}" has no \`instructions\` to route by` : undefined;
}

/** W-97, W-98. */
function triggerIdFindings(view: SpecView): Finding[] {
  const owners = new Map<string, string>();
  const findings: Finding[] = [];
  for (const state of view.states) {
    for (const [id] of state.triggers) {
      const owner = owners.get(id);
      if (owner === undefined) owners.set(id, state.slug);
      else {
        const message = `The trigger "${id}" is declared on "${owner}" and on "${state.slug}"; keep one of them.`;
        findings.push({ code: "trigger/duplicate-id", path: [...state.path, "triggers", id], message });
      }
    }
  }
  if (owners.size === 0) {
    const message =
      "No state declares a trigger, so nothing can start. Write `triggers: { manual: }` on the first state.";
    findings.push({ code: "trigger/none", path: ["states"], message });
  }
  return findings;
}

/** W-152. */
function lockOwnerFindings(view: SpecView): Finding[] {
  const owners = new Map<string, string>();
  return view.states.flatMap((state) =>
    (state.spec.locks ?? []).flatMap((name, index): Finding[] => {
      const owner = owners.get(name) ?? state.slug;
      owners.set(name, owner);
      if (owner === state.slug) return [];
      const message = `The variable "${name}" is in the \`locks\` of "${owner}" and of "${state.slug}"; one state may own it.`;
      return [{ code: "locks/two-owners", path: [...state.path, "locks", index], message }];
    }),
  );
}
