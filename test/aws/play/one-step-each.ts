/** Time that runs out in every invocation of the turn function as soon as it has committed something. */
import type { Bench } from "../environment.js";

/** Of its 15 minutes the function keeps the last one for what is under way; so much passes within each invocation. */
const PASSES_MS = 14 * 60_000 + 5_000;
/** Transactions of an invocation until its time runs out: the one that takes the lease, and the one after it. */
const FIRST_STEP = 2;

/** @returns what ends it, which tells in how many invocations time ran out */
export function oneStepEach(bench: Bench): { stop(): number } {
  const turn = bench.functionName("turn");
  let transactions = 0;
  let invocations = 0;
  bench.wire.watch(({ functionName, operation }) => {
    if (functionName !== turn) return;
    if (operation === "ReceiveMessage") transactions = 0;
    if (operation !== "TransactWriteItems" || ++transactions !== FIRST_STEP) return;
    invocations += 1;
    bench.clock.advance(PASSES_MS);
  });
  return {
    stop() {
      bench.wire.watch(null);
      return invocations;
    },
  };
}
