/**
 * Refund policy check.
 *
 * Reads the order with lookup_order by `order_id`, the rules from
 * skills/refund-policy/assets/policy.json, and the recorded `decision`, `amount_cents` and
 * `policy_rule`. Works the policy out again from `asked_on`.
 * Advances to assess when the record differs, naming the right values; to review when an
 * approved amount is over the approval limit; to draft-email otherwise. An order that
 * cannot be read, or an unreadable policy file, throws, so the state fails to hand-over.
 */
function quote(order, askedOn, email, policy) {
  const no = (rule) => ({ decision: "decline", amount_cents: 0, policy_rule: rule });
  if (String(order.email).toLowerCase() !== String(email).toLowerCase()) return no("other-customer");
  if (!order.delivered_on) return no("not-delivered");
  const days = Math.floor((Date.parse(askedOn) - Date.parse(order.delivered_on)) / 86400000);
  const limit = policy.window_days[order.category] ?? policy.window_days.other;
  if (days > limit) return no("outside-window");
  const kept = order.opened ? policy.opened_fee_percent : 0;
  return {
    decision: "approve",
    amount_cents: Math.round((order.price_cents * (100 - kept)) / 100),
    policy_rule: order.opened ? "within-window-opened" : "within-window",
  };
}

export default async function ({ variables, tools }) {
  const order = JSON.parse(await tools.lookup_order({ order_id: variables.order_id }));
  const file = await tools.read_file({ file_path: "skills/refund-policy/assets/policy.json" });
  if (file.startsWith("Error:")) throw new Error(file);
  const policy = JSON.parse(file);
  const due = quote(order, variables.asked_on, variables.customer_email, policy);
  const wrong = Object.keys(due).filter((name) => due[name] !== variables[name]);
  if (wrong.length > 0) {
    const fix = wrong.map((name) => `${name} must be ${JSON.stringify(due[name])}`).join("; ");
    await tools.archmax_advance({ to: "assess", reason: `The record breaks the policy: ${fix}.` });
  } else if (due.amount_cents > policy.approval_over_cents) {
    await tools.archmax_advance({ to: "review", reason: `${due.amount_cents} cents is over the approval limit.` });
  } else {
    await tools.archmax_advance({ to: "draft-email", reason: `Decision '${due.decision}' follows rule ${due.policy_rule}.` });
  }
}
