/** The app that `npx cdk <command> -c env=<name>` runs; see `cdk.json`. */
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { ConfigFileError, loadConfigFile } from "../lib/config/index.js";
import { addChecks } from "./checks.js";
import { ENVIRONMENTS, environmentNamed, UnknownEnvironmentError } from "./environments/index.js";
import { SettingError } from "./errors.js";
import { ParkwayStack } from "./stack.js";

const WORKSPACE = join(import.meta.dirname, "..");

try {
  const app = new App();
  const name: unknown = app.node.tryGetContext("env");
  const { environment, account, region, ...settings } = environmentNamed(name, ENVIRONMENTS);
  const config = await loadConfigFile(WORKSPACE);
  // `-c assets=<folder>`: functions that were built before, as on the machine that tested them.
  const assets: string | undefined = app.node.tryGetContext("assets");
  new ParkwayStack(app, `Parkway-${environment}`, {
    env: { account, region },
    parkway: { environment, workspace: WORKSPACE, config, assets, ...settings },
  });
  addChecks(app);
} catch (error) {
  // One line for what a person got wrong; a stack for what we did.
  const isTheirs = [SettingError, ConfigFileError, UnknownEnvironmentError].some((kind) => error instanceof kind);
  if (!isTheirs) throw error;
  console.error((error as Error).message);
  process.exitCode = 1;
}
