/**
 * Hold counter.
 *
 * Reads the trail and counts the guard's decisions to hold this car, the present one
 * included, since the last arrival. Up to three holds it advances back to ask-guard,
 * saying how many there were. The fourth raises `guard-undecided`.
 */
const LIMIT = 3;

export default async function ({ state, tools }) {
  const { trail } = JSON.parse(await tools.archmax_get_history());
  let holds = 0;
  for (const step of trail) {
    if (step.kind === "trigger") holds = 0;
    if (step.kind === "human" && step.to === state) holds += 1;
  }
  if (holds > LIMIT) {
    await tools.archmax_raise({ code: "guard-undecided", reason: `The guard put the car on hold ${holds} times.` });
    return;
  }
  await tools.archmax_advance({ to: "ask-guard", reason: `Asked again after hold ${holds} of ${LIMIT}.` });
}
