/** `tsx test/model-server/main.ts --script file.yaml --port 0`: serves a model script and prints the endpoint's URL. */
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { parseModelScript } from "../../lib/models/index.js";
import { startModelServer } from "./server.js";

const { values } = parseArgs({ options: { script: { type: "string" }, port: { type: "string", default: "0" } } });
if (values.script === undefined) {
  console.error("Name the script to serve: --script <file.yaml>");
  process.exit(2);
}
const script = parseModelScript(await readFile(values.script, "utf8"), values.script);
const server = await startModelServer({ script, port: Number(values.port) });
console.log(server.url);
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => void server.close().then(() => process.exit(0)));
