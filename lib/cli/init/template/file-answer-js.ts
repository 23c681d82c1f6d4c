/** `workflows/<slug>/scripts/file-answer.js` of a new workspace. */
export const FILE_ANSWER_JS = `/**
 * Files the approved answer.
 *
 * Writes \`answer\` to scratchpad/answer.md and sets \`outcome\`. This is the place to hand it to a system of yours: declare
 * its tool in parkway.config.ts and grant it to the state.
 */
export default async function ({ variables, tools }) {
  await tools.write_file({ file_path: "scratchpad/answer.md", content: \`\${variables.answer}\\n\` });
  await tools.archmax_set_variables({ variables: { outcome: "filed" } });
}
`;
