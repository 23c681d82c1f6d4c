/**
 * Fact check of the letter.
 *
 * Looks in `body` for the invoice number, the amount in euros with two decimals and the due
 * date, and for any other euro amount. Advances to done when all three are there and no
 * other amount is; back to write otherwise, naming each problem. After two earlier
 * send-backs on the trail it raises `letter-not-factual`.
 */
export default async function ({ variables, tools }) {
  const { body, invoice_number, amount_cents, due_on } = variables;
  const amount = (amount_cents / 100).toFixed(2);
  const problems = [];
  if (!body.includes(invoice_number)) problems.push(`name the invoice ${invoice_number}`);
  if (!body.includes(amount)) problems.push(`give the amount as ${amount}`);
  if (!body.includes(due_on)) problems.push(`give the due date as ${due_on}`);
  const others = (body.match(/\d+\.\d{2}/g) ?? []).filter((found) => found !== amount);
  if (others.length > 0) problems.push(`remove the other amounts: ${others.join(", ")}`);
  if (problems.length === 0) {
    await tools.archmax_advance({ to: "done", reason: "The facts are right." });
    return;
  }
  const { trail } = JSON.parse(await tools.archmax_get_history());
  const sentBack = trail.filter((step) => step.kind === "code" && step.to === "write" && step.reason?.startsWith("Fix:"));
  if (sentBack.length >= 2) {
    await tools.archmax_raise({ code: "letter-not-factual", reason: problems.join("; ") });
    return;
  }
  await tools.archmax_advance({ to: "write", reason: `Fix: ${problems.join("; ")}.` });
}
