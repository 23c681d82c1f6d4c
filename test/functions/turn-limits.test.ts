/** The times that the turn function keeps of an invocation. */
import type { SQSEvent } from "aws-lambda";
import { expect, it } from "vitest";
import { createTurnHandler } from "../../functions/turn/handler.js";
import { manualClock } from "../harness/clock.js";
import { instruments, lambdaContext } from "./support.js";

it.each([
  [900_000, 840_000, 890_000],
  [100_000, 60_000, 90_000],
])(
  "S-50 S-53 S-54 F-18 of %d ms hands over at a step after %d, and aborts calls at %d",
  async (remainingMs, drainMs, abortMs) => {
    const clock = manualClock();
    const asked: unknown[] = [];
    const handler = createTurnHandler({
      worker: async (limitMs) => ({
        work: async (sessionId, limits) => {
          asked.push([sessionId, limitMs, limits]);
          return { settled: [], left: "idle" };
        },
      }),
      clock,
      log: instruments("turn").log,
    });
    const event = { Records: [{ messageId: "m1", body: '{"sessionId":"s1"}' }] } as SQSEvent;

    await handler(event, lambdaContext(remainingMs));

    const now = clock.now();
    expect(asked).toEqual([["s1", drainMs, { drainAt: now + drainMs, abortAt: now + abortMs }]]);
  },
);
