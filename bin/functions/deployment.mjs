// `deployment.json`: what a configuration says of its entrances, read by evaluating it once while building.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { ownPackage, packagesInPlace } from "./plugins.mjs";

const CONFIGS = ["parkway.config.ts", "parkway.config.js", "parkway.config.mjs"];

/** The configuration's file; null for a root without one. */
export function configFileOf(root) {
  const name = CONFIGS.find((candidate) => existsSync(join(root, candidate)));
  return name === undefined ? null : join(root, name);
}

/**
 * @returns {Promise<{ webhooks: object, events: object, schedules: object }>}
 * @throws what the configuration throws; {TypeError} for entrances that lead nowhere
 */
export async function readDeployment({ root, packageRoot, bundle, banner }) {
  const file = configFileOf(root);
  if (file === null) return { webhooks: {}, events: {}, schedules: {} };
  const lib = join(packageRoot, "lib/config/index.ts");
  const { outputFiles } = await bundle({
    stdin: {
      contents: `
        import config from ${JSON.stringify(file)};
        import { checkDeployment, deploymentOf, localReferences, parseConfig, readTriggers } from ${JSON.stringify(lib)};
        export const deployment = deploymentOf(parseConfig(config));
        export const problems = [
          ...checkDeployment(deployment, readTriggers(${JSON.stringify(root)})),
          ...localReferences(deployment).map(({ at, reference }) => ({
            at,
            message: \`\${reference} is for one's own machine; a deployment names a parameter (ssm:) or a secret (secret:).\`,
          })),
        ];`,
      resolveDir: root,
      loader: "ts",
    },
    absWorkingDir: packageRoot,
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node24",
    logLevel: "warning",
    banner: { js: banner },
    plugins: [ownPackage(packageRoot), packagesInPlace],
    // The bundle lies elsewhere; the configuration is to find its neighbours.
    define: {
      "import.meta.dirname": JSON.stringify(root),
      "import.meta.filename": JSON.stringify(file),
      "import.meta.url": JSON.stringify(pathToFileURL(file).href),
    },
  });
  const dir = mkdtempSync(join(tmpdir(), "parkway-config-"));
  try {
    const evaluated = join(dir, "deployment.mjs");
    writeFileSync(evaluated, outputFiles[0].contents);
    const { deployment, problems } = await import(pathToFileURL(evaluated).href);
    if (problems.length > 0)
      throw new TypeError([`${basename(file)} cannot be deployed:`, ...problems.map(lineOf)].join("\n"));
    return deployment;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

function lineOf({ at, message }) {
  return `  ${at}: ${message}`;
}
