/**
 * End of a visit's turn.
 *
 * Shared by the three terminal states and told apart by `state`. Stores `outcome`:
 * `admitted` in open-barrier, `turned-away` in turn-away, `left` in check-out. In
 * check-out it first reads the stored outcome and raises `never-admitted` when the car
 * was not let in before. Returning completes the session.
 */
const OUTCOMES = { "open-barrier": "admitted", "turn-away": "turned-away", "check-out": "left" };

export default async function ({ state, variables, tools }) {
  if (state === "check-out" && variables.outcome !== "admitted") {
    await tools.archmax_raise({ code: "never-admitted", reason: `No open visit for ${variables.visit_id}.` });
    return;
  }
  await tools.archmax_set_variables({ variables: { outcome: OUTCOMES[state] } });
}
