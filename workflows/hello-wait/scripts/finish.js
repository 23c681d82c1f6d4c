/**
 * Cool-down result.
 *
 * Stores `outcome`, which is the slug of the terminal state that runs it: `resumed` after
 * a normal pause, `stuck` when the pause was refused or failed. Returning completes the
 * session.
 */
export default async function ({ state, tools }) {
  await tools.archmax_set_variables({ variables: { outcome: state } });
}
