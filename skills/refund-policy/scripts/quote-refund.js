/**
 * Refund quote for one order.
 *
 * Takes `args.order` as lookup_order returned it, and `asked_on` and `customer_email` from
 * the session's variables. Reads skills/refund-policy/assets/policy.json. Returns
 * `{ decision, amount_cents, policy_rule }`: declined with 0 for another customer's order,
 * an undelivered order or one past its window; approved otherwise, less the fee for an
 * opened box.
 */
const policy = JSON.parse(await tools.read_file({ file_path: "skills/refund-policy/assets/policy.json" }));
const order = typeof args.order === "string" ? JSON.parse(args.order) : args.order;
const { asked_on, customer_email } = args.variables;

const decline = (policy_rule) => ({ decision: "decline", amount_cents: 0, policy_rule });
const days = Math.floor((Date.parse(asked_on) - Date.parse(order.delivered_on ?? asked_on)) / 86400000);
const limit = policy.window_days[order.category] ?? policy.window_days.other;
const kept = order.opened ? policy.opened_fee_percent : 0;

String(order.email).toLowerCase() !== String(customer_email).toLowerCase()
  ? decline("other-customer")
  : !order.delivered_on
    ? decline("not-delivered")
    : days > limit
      ? decline("outside-window")
      : {
          decision: "approve",
          amount_cents: Math.round((order.price_cents * (100 - kept)) / 100),
          policy_rule: order.opened ? "within-window-opened" : "within-window",
        };
