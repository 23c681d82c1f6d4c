/**
 * Closing step.
 *
 * Shared by the five terminal states and told apart by `state`. Credits the invoice with
 * issue_credit in close-credited; opens a task with open_task in close-collections,
 * close-written-off and file-payment; does nothing outside in close-paid. Stores `outcome`.
 * A failing call throws, and the session ends rejected. Returning completes the session.
 */
const OUTCOMES = {
  "close-paid": "paid",
  "close-credited": "credited",
  "close-collections": "collections",
  "close-written-off": "written-off",
  "file-payment": "filed",
};

export default async function ({ state, variables, tools }) {
  const number = variables.invoice?.number ?? variables.payment?.invoice_number;
  if (state === "close-credited") {
    await tools.issue_credit({ invoice_number: number, key: `credit-${number}` });
  } else if (state !== "close-paid") {
    await tools.open_task({ title: `${OUTCOMES[state]}: ${number}`, key: `${state}-${number}` });
  }
  await tools.archmax_set_variables({ variables: { outcome: OUTCOMES[state] } });
}
