/**
 * Plate check at the gate.
 *
 * Reads the `plate` and `visitor` variables. Reduces the plate to upper-case letters and
 * digits and stores it as `plate_key`, and labels the session with the visitor's name.
 * Advances to turn-away when the plate is on the banned list, and to ask-guard otherwise.
 * A plate with fewer than two letters or digits left raises `plate-unreadable`.
 */
const BANNED = ["ZZ99ZZ", "TEST000"];

export default async function ({ variables, tools }) {
  const key = String(variables.plate).toUpperCase().replace(/[^A-Z0-9]/g, "");
  if (key.length < 2) {
    await tools.archmax_raise({ code: "plate-unreadable", reason: `'${variables.plate}' holds no readable plate.` });
    return;
  }
  await tools.archmax_set_variables({
    variables: { plate_key: key, title: `Visit of ${String(variables.visitor).slice(0, 80)}` },
  });
  if (BANNED.includes(key)) {
    await tools.archmax_advance({ to: "turn-away", reason: `${key} is banned from the car park.` });
  } else {
    await tools.archmax_advance({ to: "ask-guard", reason: `${key} is waiting at the gate.` });
  }
}
