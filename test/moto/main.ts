/** `npm run test:moto [-- <part of a file name>]`: the stores, a deployment and its roles against moto, a second implementation of the services. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CannotInstallError, installMoto } from "./install.js";
import { KNOWN_LIMITS, UNKNOWN_TYPES } from "./known.js";
import { judge, type Report, summary } from "./report.js";
import { startMoto } from "./server.js";

const root = join(import.meta.dirname, "..", "..");

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof CannotInstallError)) throw error;
  console.log(`Skipped: moto is not installed here, ${error.message}`);
}

async function main(): Promise<number> {
  const python = await installMoto(join(root, "node_modules", ".cache", "moto"));
  const moto = await startMoto(python, UNKNOWN_TYPES);
  try {
    const report = await runSuites(moto.endpoint);
    const verdict = judge(report, KNOWN_LIMITS, { isPart: process.argv.length > 2 });
    console.log(summary(report, verdict, KNOWN_LIMITS));
    writeCounts(verdict);
    return verdict.problems.length === 0 ? 0 : 1;
  } finally {
    moto.stop();
  }
}

/** An account that does not exist, so that no setting of this machine leads to a real one. */
function environment(endpoint: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("AWS_") && name !== "VITEST_REPORT");
  return {
    ...Object.fromEntries(kept),
    AWS_ACCESS_KEY_ID: "moto",
    AWS_SECRET_ACCESS_KEY: "moto",
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL: endpoint,
    PARKWAY_TEST_DYNAMODB: endpoint,
  };
}

async function runSuites(endpoint: string): Promise<Report> {
  const folder = mkdtempSync(join(tmpdir(), "parkway-moto-"));
  const file = join(folder, "report.json");
  const vitest = join(dirname(createRequire(import.meta.url).resolve("vitest/package.json")), "vitest.mjs");
  const args = [vitest, "run", "--project", "moto", "--reporter", "json", "--outputFile", file];
  try {
    const child = spawn(process.execPath, [...args, ...process.argv.slice(2)], {
      cwd: root,
      env: environment(endpoint),
      stdio: ["ignore", "ignore", "inherit"],
    });
    await new Promise((resolve) => child.on("close", resolve));
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts in the form of the runner's own reports, in which a known limit is a case that did not run. */
function writeCounts({ passed, problems, limits }: ReturnType<typeof judge>): void {
  const file = process.env.VITEST_REPORT;
  if (!file) return;
  const counts = { numPassedTests: passed, numFailedTests: problems.length, numPendingTests: limits, numTodoTests: 0 };
  writeFileSync(file, JSON.stringify(counts));
}
