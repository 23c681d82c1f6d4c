/** Records the cassettes of all bundled workflows anew: `npx tsx test/workflows/record.ts`. */
import { main } from "../../lib/cli/main.js";
import { processTerminal } from "../../lib/cli/terminal.js";
import { BUNDLED, REPOSITORY, repliesOf } from "./bundled-cases.js";

for (const slug of BUNDLED) {
  const terminal = { ...processTerminal(), env: repliesOf(slug), cwd: REPOSITORY };
  if ((await main(["test", slug, "--record"], { terminal })) !== 0) process.exitCode = 1;
}
