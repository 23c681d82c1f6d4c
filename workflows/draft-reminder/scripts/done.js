/**
 * Last touch.
 *
 * Trims `subject` and `body` and reduces runs of blank lines in the body to one. Returning
 * completes the session with subject, body and tone as its returns.
 */
export default async function ({ variables, tools }) {
  await tools.archmax_set_variables({
    variables: {
      subject: variables.subject.trim(),
      body: variables.body.trim().replace(/\n{3,}/g, "\n\n"),
    },
  });
}
