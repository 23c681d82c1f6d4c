#!/usr/bin/env node
// The command: finds a Node that is new enough, builds dist/ when a clone's is stale, and starts it.
// Must itself run on Node 20.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

// 22.18 is the first of its line that loads a parkway.config.ts without a flag.
const NEEDED = [22, 18];
const LINGER_MS = 200;
const pinnedNode = fileURLToPath(new URL("../node_modules/node/bin/node", import.meta.url));

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) await start();
else if (existsSync(pinnedNode)) runWith(pinnedNode);
else
  fail(
    `Parkway needs Node ${NEEDED.join(".")} or later, and this is ${process.versions.node}; ${remedy()} brings one.`,
  );

async function start() {
  module.enableCompileCache?.();
  const { isStale, build } = await import("./build.mjs");
  try {
    if (isStale()) await build();
  } catch (error) {
    const missing = error.code === "ERR_MODULE_NOT_FOUND";
    fail(
      missing
        ? "Parkway's packages are not installed; run `npm ci` in its folder."
        : `Parkway cannot be built: ${error.message}`,
    );
    return;
  }
  const { main } = await import("../dist/main.js");
  // A reader that has seen enough (`parkway sessions | head`) is no failure.
  process.stdout.on("error", (error) => process.exit(error.code === "EPIPE" ? 0 : 1));
  // Nor is one of the progress: the turn goes on.
  process.stderr.on("error", () => {});
  process.exitCode = await main(process.argv.slice(2));
  // Idle connections of a model's client must not hold the process once its output is out.
  process.stdout.write("", () => setTimeout(() => process.exit(), LINGER_MS).unref());
}

function runWith(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  // A terminal sends Ctrl-C to both processes already; a second one would mean "quit at once".
  process.on("SIGINT", () => terminal || child.kill("SIGINT"));
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", (error) => fail(`${node} cannot be started: ${error.message}`));
  child.on("close", (code, signal) => {
    process.exitCode = code ?? (signal === "SIGINT" ? 130 : 1);
  });
}

/** In a project, `npx` puts its own Node before the machine's. */
function remedy() {
  const isClone = existsSync(new URL("../tsconfig.json", import.meta.url));
  return isClone ? "`npm ci` in its folder" : "`npm install --save-dev node@24` in your project";
}

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}
