/** Lint of how states hang together: reachability, transitions, error routes. */
import type { Finding } from "./diagnostics.js";
import { isAutomated, type SpecView, type StateView } from "./document.js";
import { isBlank } from "./own.js";

export function graphLint(view: SpecView): Finding[] {
  return [
    ...reachabilityLint(view),
    ...view.states.flatMap((state) => [...transitionLint(state), ...onErrorLint(state)]),
  ];
}

/** W-83. Without any trigger there is no start to reach from, which is a finding of its own. */
function reachabilityLint(view: SpecView): Finding[] {
  const pending = view.states.filter((state) => state.triggers.length > 0);
  if (pending.length === 0) return [];
  const reached = new Set(pending);
  for (let state = pending.pop(); state; state = pending.pop()) {
    for (const slug of waysOut(state)) {
      const target = view.stateOf(slug);
      if (!target || reached.has(target)) continue;
      reached.add(target);
      pending.push(target);
    }
  }
  return view.states
    .filter((state) => !reached.has(state))
    .map((state) => ({
      code: "state/unreachable",
      path: state.path,
      message: `No entry state reaches "${state.slug}"; add a transition to it, a trigger on it, or remove it.`,
    }));
}

/** `on_error` of a human state is never read. */
function waysOut({ type, spec, transitions }: StateView): string[] {
  const targets = transitions.map(({ to }) => to);
  if (spec.on_error !== undefined && type !== "human") targets.push(spec.on_error);
  return targets;
}

/** W-65, W-90, W-91. */
function transitionLint(state: StateView): Finding[] {
  const { slug, type, spec, transitions, path } = state;
  const findings: Finding[] = [];
  if (type === "agent" && transitions.length >= 2 && isBlank(spec.instructions)) {
    const message = `"${slug}" has several ways out and no \`instructions\` to choose by.`;
    findings.push({ code: "state/no-routing-instructions", path: [...path, "instructions"], message });
  }
  const seen = new Set<string>();
  transitions.forEach(({ to }, index) => {
    const at = [...path, "transitions", index, "to"];
    if (seen.has(to)) {
      const message = `"${slug}" has two transitions to "${to}"; only the first is ever taken.`;
      findings.push({ code: "transition/duplicate-target", path: at, message });
    }
    seen.add(to);
    if (to === slug && isAutomated(state)) {
      const message = `The ${type} state "${slug}" leads to itself and would run again until the recursion limit.`;
      findings.push({ code: "transition/automated-self-edge", path: at, message });
    }
  });
  return findings;
}

/** W-174. */
function onErrorLint({ slug, spec, path }: StateView): Finding[] {
  if (spec.on_error !== slug) return [];
  const message = `"${slug}" names itself in \`on_error\`; a failure there would repeat.`;
  return [{ code: "on-error/self", path: [...path, "on_error"], message }];
}
