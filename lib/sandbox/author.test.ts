import { expect, it } from "vitest";
import type { TrailStep as SessionTrailStep } from "../session/state.js";
import { type CodeStateInput, defineCodeState, type SessionHistory, type TrailStep } from "./author.js";

it("H-2 gives script authors an identity helper with types", async () => {
  const main = async ({ variables, tools }: CodeStateInput<{ amount: number }>) => {
    const history = JSON.parse((await tools.archmax_get_history?.()) ?? "{}") as SessionHistory;
    return [variables.amount, history.trail.at(-1)?.to];
  };
  const trail: TrailStep[] = [{ to: "review", kind: "code", ts: 0 } satisfies SessionTrailStep];

  const defined = defineCodeState(main);
  const tools = { archmax_get_history: async () => JSON.stringify({ messages: [], trail }) };

  expect(defined).toBe(main);
  expect(await defined({ state: "s", trigger: "t", variables: { amount: 2 }, tools })).toEqual([2, "review"]);
});
