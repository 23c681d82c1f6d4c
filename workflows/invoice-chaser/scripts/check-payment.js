/**
 * Payment check.
 *
 * Compares `payment` with `invoice`. Advances to close-paid when the payment names this
 * invoice and covers its amount; back to chase otherwise, saying what is missing. A firing
 * without a payment throws, so the state fails to escalate.
 */
export default async function ({ variables, tools }) {
  const { payment, invoice } = variables;
  if (!payment) throw new Error("no payment arrived with the firing");
  if (payment.invoice_number !== invoice.number) {
    await tools.archmax_advance({ to: "chase", reason: `The payment is for ${payment.invoice_number}.` });
  } else if (payment.amount_cents < invoice.amount_cents) {
    const short = invoice.amount_cents - payment.amount_cents;
    await tools.archmax_advance({ to: "chase", reason: `The payment is ${short} cents short.` });
  } else {
    await tools.archmax_advance({ to: "close-paid", reason: `Paid on ${payment.paid_on}.` });
  }
}
