/**
 * Opening check.
 *
 * Reads `invoice`. Raises `bad-invoice` when the number, customer, email, amount or due
 * date is missing or malformed, or when the amount is not positive. Otherwise labels the
 * session with the invoice number and advances to chase.
 */
export default async function ({ variables, tools }) {
  const { number, customer, email, amount_cents, due_on } = variables.invoice;
  const bad = [];
  if (!/^INV-\d{4,}$/.test(number ?? "")) bad.push("number");
  if (!customer) bad.push("customer");
  if (!/^[^@\s]+@[^@\s]+$/.test(email ?? "")) bad.push("email");
  if (!Number.isInteger(amount_cents) || amount_cents <= 0) bad.push("amount_cents");
  if (!/^\d{4}-\d{2}-\d{2}$/.test(due_on ?? "")) bad.push("due_on");
  if (bad.length > 0) {
    await tools.archmax_raise({ code: "bad-invoice", reason: `Unusable invoice: ${bad.join(", ")}.` });
    return;
  }
  await tools.archmax_set_variables({ variables: { title: `Invoice ${number}` } });
  await tools.archmax_advance({ to: "chase", reason: `${number} over ${amount_cents} cents was due on ${due_on}.` });
}
