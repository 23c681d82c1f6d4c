/** `npm run bench [-- turn load start code delegation scripts wake aws aws-long aws-wake functions]`: measures, prints tables, judges nothing. */
import { aws } from "./sections/aws.js";
import { awsLong } from "./sections/aws-long.js";
import { awsWake } from "./sections/aws-wake.js";
import { code } from "./sections/code.js";
import { cost } from "./sections/cost.js";
import { delegation } from "./sections/delegation.js";
import { functions } from "./sections/functions.js";
import { load } from "./sections/load.js";
import { scripts } from "./sections/scripts.js";
import { start } from "./sections/start.js";
import { turn } from "./sections/turn.js";
import { wake } from "./sections/wake.js";

const SECTIONS: Record<string, () => Promise<void>> = {
  turn,
  load,
  start,
  code,
  delegation,
  scripts,
  wake,
  aws,
  "aws-long": awsLong,
  "aws-wake": awsWake,
  cost,
  functions,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
  console.error(`There is no section ${unknown.join(", ")}; there are ${Object.keys(SECTIONS).join(", ")}.`);
  process.exit(2);
}
for (const name of asked.length > 0 ? asked : Object.keys(SECTIONS)) await SECTIONS[name]!();
process.exit();
