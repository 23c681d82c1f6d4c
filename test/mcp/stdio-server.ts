/** An MCP server over stdin and stdout, for tests that start one. */
import { spawn } from "node:child_process";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createToolServer } from "./tool-set.ts";

const [mode = ""] = process.argv.slice(2);

if (mode === "ends") process.exit(7);
if (mode === "garbage") process.stdout.write("this is no message\n{\n");
if (mode === "noisy") process.stderr.write(`starting with ${process.env.SHOP_TOKEN}\n`);

const server = createToolServer({
  own: {
    process: () => ({ pid: process.pid, cwd: process.cwd(), env: process.env }),
    spawn: () => {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
      return { pid: child.pid };
    },
    exit: () => process.exit(3),
  },
});
if (mode === "silent") setInterval(() => {}, 1000);
else await server.connect(new StdioServerTransport());
// One that does not listen: neither its end of stdin nor a request to end stops it.
if (mode === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1000);
}
