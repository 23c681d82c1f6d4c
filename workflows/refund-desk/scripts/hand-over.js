/**
 * Hand-over to a person.
 *
 * Finds out why the case came here: the reason on the trail's last step. Opens a task for
 * the desk lead with open_task, naming the order when one is known, and stores `outcome`
 * as `handed-over`. Returning completes the session.
 */
export default async function ({ variables, tools }) {
  const { trail } = JSON.parse(await tools.archmax_get_history());
  const reason = trail.at(-1)?.reason ?? "no reason recorded";
  await tools.open_task({
    title: `Refund case ${variables.order_id ?? "without an order"}`,
    details: `Customer ${variables.customer_email}. ${reason}`,
  });
  await tools.archmax_set_variables({ variables: { outcome: "handed-over" } });
}
