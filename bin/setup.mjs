// Makes a fresh clone ready, then runs the command given: `node bin/setup.mjs npm run check`.
// Runs on any Node from 20 on and on nothing but Node's own modules, since it is what installs the rest.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const command = process.argv.slice(2);
if (command.length === 0) {
  console.error("usage: node bin/setup.mjs <command> [arguments]");
  process.exit(2);
}

const missing = firstMissingPackage();
if (missing) {
  console.error(`Installing packages with npm ci (${missing}); this happens once.`);
  const code = await run("npm", ["ci", "--loglevel=error", "--no-audit", "--no-fund"]);
  if (code !== 0) {
    console.error("npm ci failed; see its output above.");
    process.exit(code);
  }
}
process.exit(await run(command[0], command.slice(1)));

/** What the installed packages lack of package-lock.json, as a phrase; null when they fit. */
function firstMissingPackage() {
  const wanted = packagesOf(join(root, "package-lock.json"));
  const installed = packagesOf(join(root, "node_modules", ".package-lock.json"));
  if (!installed) return "none are installed";
  for (const [path, entry] of Object.entries(wanted ?? {})) {
    // What is optional depends on the machine, and npm checks it itself.
    if (path === "" || entry.optional || entry.link) continue;
    if (installed[path]?.version !== entry.version) return `${path.replace(/^.*node_modules\//, "")} is not up to date`;
  }
  return null;
}

function packagesOf(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8")).packages;
  } catch {
    return null;
  }
}

/** Runs a command in the project with its own binaries first in PATH, the pinned Node among them. */
function run(name, args) {
  const path = [join(root, "node_modules", ".bin"), process.env.PATH ?? ""].join(delimiter);
  const windows = process.platform === "win32";
  const child = spawn(name, args, { stdio: "inherit", shell: windows, env: { ...process.env, PATH: path }, cwd: root });
  // The terminal sends Ctrl-C to the child as well; it decides when to end.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  return new Promise((resolve) => {
    child.on("error", (error) => {
      console.error(`${name} cannot be started: ${error.message}`);
      resolve(1);
    });
    child.on("close", (code, signal) => resolve(code ?? (signal === "SIGINT" ? 130 : 1)));
  });
}
