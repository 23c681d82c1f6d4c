/** The children that run for one session's calls: few at once, and none left behind when the session's leg ends. */
import { InvocationEndedError } from "../errors.js";
import { createGate } from "../gate.js";
import type { Children } from "../types.js";

/** R-182, W-247. */
const CHILDREN_AT_ONCE = 4;

export function createChildren(turn: AbortSignal): Children {
  const gate = createGate(CHILDREN_AT_ONCE);
  const over = new AbortController();
  const signal = AbortSignal.any([turn, over.signal]);
  const underWay = new Set<Promise<unknown>>();
  return {
    signal,
    through(work) {
      const running = gate.through(signal, work);
      const settled: Promise<unknown> = running.then(
        () => underWay.delete(settled),
        () => underWay.delete(settled),
      );
      underWay.add(settled);
      return running;
    },
    async stop() {
      over.abort(new InvocationEndedError());
      await Promise.all(underWay);
    },
  };
}
