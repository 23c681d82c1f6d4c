/**
 * Refund and email.
 *
 * Reads scratchpad/email.md, whose first line is the subject. For an approved case it
 * first calls issue_refund with the order, the amount and a key made from the order, so a
 * second run pays nothing twice; then it calls send_email to `customer_email`. Stores
 * `outcome` as `refunded` or `declined`. A draft without a subject line or body, and any
 * failing call, throws, so the state fails to hand-over. Returning completes the session.
 */
export default async function ({ variables, tools }) {
  const draft = await tools.read_file({ file_path: "scratchpad/email.md" });
  const [first, ...rest] = draft.split("\n");
  const subject = /^Subject:\s*(.+)$/.exec(first ?? "")?.[1];
  const body = rest.join("\n").trim();
  if (!subject || !body) throw new Error("scratchpad/email.md has no subject line or no body");
  const approved = variables.decision === "approve";
  if (approved) {
    await tools.issue_refund({
      order_id: variables.order_id,
      amount_cents: variables.amount_cents,
      key: `refund-${variables.order_id}`,
    });
  }
  await tools.send_email({ to: variables.customer_email, subject, body });
  await tools.archmax_set_variables({ variables: { outcome: approved ? "refunded" : "declined" } });
}
