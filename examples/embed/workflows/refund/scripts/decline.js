/** Records that nothing was paid. */
export default async function ({ tools }) {
  await tools.archmax_set_variables({ variables: { outcome: "declined" } });
}
