/** Pays what is on record, and records the outcome. */
export default async function ({ variables, tools }) {
  await tools.refund_order({ order_id: variables.order_id, amount_cents: variables.amount_cents });
  await tools.archmax_set_variables({ variables: { outcome: "refunded" } });
}
