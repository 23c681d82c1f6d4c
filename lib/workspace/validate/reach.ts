import type { Machine } from "../../machine/types.js";

/** States that transitions and `on_error` routes lead to from the given ones, themselves included (W-83). */
export function reachableFrom(machine: Machine, starts: Iterable<string>): Set<string> {
  const reached = new Set<string>();
  const open = [...starts];
  for (let slug = open.pop(); slug !== undefined; slug = open.pop()) {
    const state = machine.states.get(slug);
    if (state === undefined || reached.has(slug)) continue;
    reached.add(slug);
    open.push(...state.transitions.map(({ to }) => to));
    if (state.spec.on_error !== undefined) open.push(state.spec.on_error);
  }
  return reached;
}

/** States that some trigger leads to. */
export function reachableStates(machine: Machine): Set<string> {
  return reachableFrom(
    machine,
    [...machine.triggers.values()].map(({ state }) => state),
  );
}
