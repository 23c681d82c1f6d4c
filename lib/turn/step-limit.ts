/** How long one step may take where an invocation's time is limited (S-53). */
import type { Machine } from "../machine/types.js";

/** Node's timers count in 32 bits; one that is set for longer fires at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** The smaller of a call's own bound and the invocation's, no longer than a timer can be; undefined where there is neither. */
export function boundOf(own: number | undefined, invocationLimitMs: number | undefined): number | undefined {
  if (own === undefined && invocationLimitMs === undefined) return undefined;
  return Math.min(own ?? MAX_TIMER_MS, invocationLimitMs ?? MAX_TIMER_MS, MAX_TIMER_MS);
}

/** One sentence for each bound of the workflow that no step can use up. */
export function unreachableBounds({ spec, states }: Machine, invocationLimitMs: number): string[] {
  const bounds: [string, number | undefined][] = [
    ["settings.timeoutMs", spec.settings?.timeoutMs],
    ...[...states.values()].map((state): [string, number | undefined] => [
      `states.${state.slug}.budget.timeoutMs`,
      state.spec.budget?.timeoutMs,
    ]),
  ];
  return bounds.flatMap(([path, ms]) =>
    ms !== undefined && ms > invocationLimitMs
      ? [`${path} is ${ms}, and a step may take ${invocationLimitMs} ms here; that is the bound.`]
      : [],
  );
}
