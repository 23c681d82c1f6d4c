import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { aProcess } from "./loaded.js";

const LIST = new URL("../../lib/agent/list-mcp-tools.ts", import.meta.url).href;
const CONFIG = JSON.stringify({ shop: aProcess("noisy", { environment: { SHOP_TOKEN: "${TOKEN}" } }) });

/** Lists the server's tools in a process of its own. @returns what that process wrote on stderr */
async function listing(debug: string): Promise<string> {
  const code = `const { listMcpTools } = await import(${JSON.stringify(LIST)});
    const { shop } = await listMcpTools(JSON.parse(${JSON.stringify(CONFIG)}));
    console.log(shop.status);`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { PATH: process.env.PATH, TOKEN: "t0ken-value", NODE_DEBUG: debug },
  });
  const texts = { stdout: "", stderr: "" };
  for (const pipe of ["stdout", "stderr"] as const) child[pipe].on("data", (chunk) => (texts[pipe] += chunk));
  await new Promise((closed) => child.on("close", closed));
  expect(texts.stdout).toBe("connected\n");
  return texts.stderr;
}

it("A-62 A-56 shows what a server writes on stderr at debug level alone, without the values it was given", async () => {
  expect(await listing("")).not.toContain("starting with");

  const shown = await listing("parkway-mcp");
  expect(shown).toContain("shop: starting with [removed]");
  expect(shown).not.toContain("t0ken-value");
});
