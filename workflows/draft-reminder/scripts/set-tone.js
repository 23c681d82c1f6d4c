/**
 * Tone of the letter.
 *
 * Reads `round` and skills/letter-style/assets/tones.json and stores the matching `tone`,
 * locked, because nothing later may change it. Advances to write. An unreadable file
 * throws; the workflow declares no on_error, so the child is rejected and the caller's call
 * fails.
 */
export default async function ({ variables, tools }) {
  const text = await tools.read_file({ file_path: "skills/letter-style/assets/tones.json" });
  if (text.startsWith("Error:")) throw new Error(text);
  const tone = JSON.parse(text).rounds[variables.round - 1];
  await tools.archmax_set_variables({ variables: { tone }, lock: true });
  await tools.archmax_advance({ to: "write", reason: `Reminder ${variables.round} is ${tone}.` });
}
