import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it, vi } from "vitest";
import { aProcess, loaded } from "./loaded.js";

const LIST = new URL("../../lib/agent/list-mcp-tools.ts", import.meta.url).href;
const CONFIG = { shop: aProcess("noisy", { environment: { SHOP_TOKEN: "${TOKEN}" } }) };

it("A-62 says nothing of what a server writes on stderr otherwise", async () => {
  const written: string[] = [];
  const stderr = vi.spyOn(process.stderr, "write").mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const shop = await loaded(CONFIG, { env: { TOKEN: "t0ken-value" } });
    expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
    await shop.close();
  } finally {
    stderr.mockRestore();
  }
  expect(written.join("")).not.toContain("starting with");
});

it("A-62 A-56 shows it at debug level, without the values the server was given", { timeout: 120_000 }, async () => {
  const code = `const { listMcpTools } = await import(${JSON.stringify(LIST)});
    const { shop } = await listMcpTools(JSON.parse(${JSON.stringify(JSON.stringify(CONFIG))}));
    console.log(shop.status);`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", code], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    env: { PATH: process.env.PATH, TOKEN: "t0ken-value", NODE_DEBUG: "parkway-mcp" },
  });
  const told = { stdout: "", stderr: "" };
  for (const pipe of ["stdout", "stderr"] as const) child[pipe].on("data", (chunk) => (told[pipe] += chunk));
  await new Promise((closed) => child.on("close", closed));

  expect(told.stdout).toBe("connected\n");
  expect(told.stderr).toContain("shop: starting with [removed]");
  expect(told.stderr).not.toContain("t0ken-value");
});
