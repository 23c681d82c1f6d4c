/** Where the functions' code comes from: a folder that was built before, or one that is built here from the workspace. */
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Stack, Stage } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { SettingError } from "./errors.js";
import { FUNCTION_NAMES } from "./permissions.js";

/**
 * A folder with one folder per function. Where no stack is going to be deployed (`cdk destroy`, `cdk list`) nothing is built,
 * and the folders are empty shells.
 *
 * @param options.assets - given by whoever builds the functions themselves
 */
export function functionAssets(scope: Construct, options: { workspace: string; assets?: string }): string {
  if (options.assets !== undefined) return options.assets;
  const outDir = join(Stage.of(scope)?.outdir ?? "cdk.out", `functions-${scope.node.addr}`);
  if (Stack.of(scope).bundlingRequired) buildInProcess(options.workspace, outDir);
  else writeShells(outDir);
  return outDir;
}

const BUILDER = new URL("../bin/build-functions.mjs", import.meta.url).href;
const PROGRAM = `
  const [builder, root, outDir] = process.argv.slice(1);
  const { buildFunctions } = await import(builder);
  await buildFunctions({ root, outDir }).catch((error) => {
    console.error(error instanceof TypeError ? error.message : error);
    process.exitCode = 1;
  });`;

/** Building is asynchronous and a construct is not, so another process does it. @throws {SettingError} after what it printed */
function buildInProcess(root: string, outDir: string): void {
  const args = ["--input-type=module", "--eval", PROGRAM, "--", BUILDER, root, outDir];
  const { status } = spawnSync(process.execPath, args, { stdio: ["ignore", "inherit", "inherit"] });
  if (status !== 0) throw new SettingError(`The functions of ${root} could not be built.`);
}

function writeShells(outDir: string): void {
  for (const name of FUNCTION_NAMES) {
    mkdirSync(join(outDir, name), { recursive: true });
    writeFileSync(join(outDir, name, "index.mjs"), "export const handler = () => {};\n");
  }
}
