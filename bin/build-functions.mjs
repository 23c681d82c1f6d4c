// Bundles the functions into assets, one folder each, that run without anything above them: `npx node
// bin/build-functions.mjs --root . --out dist/functions`, or `buildFunctions`, which the CDK app calls.
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { configFileOf, readDeployment } from "./functions/deployment.mjs";
import { builtins, oneLocale, ownPackage } from "./functions/plugins.mjs";
import { copyWorkspace } from "./functions/workspace.mjs";

export const FUNCTIONS = ["webhook", "api", "trigger", "turn", "wake"];

const packageRoot = fileURLToPath(new URL("..", import.meta.url));
const WASM = "@jitl/quickjs-wasmfile-release-sync/wasm";

/** Bundled CommonJS packages call `require`, which ES modules do not have (F-77). */
const BANNER = `const require=process.getBuiltinModule("node:module").createRequire(import.meta.url);`;

/**
 * The same sources give the same bytes, so that an asset's hash changes with its content alone.
 *
 * @param {{ root: string, outDir: string, functions?: readonly string[] }} options
 *   `root` holds workflows/ and parkway.config.ts
 * @returns {Promise<Record<string, { dir: string, metafile: import("esbuild").Metafile }>>} by function
 */
export async function buildFunctions({ root, outDir, functions = FUNCTIONS }) {
  const unknown = functions.filter((name) => !FUNCTIONS.includes(name));
  if (unknown.length > 0) throw new TypeError(`There is no function ${unknown.join(", ")}; there are ${FUNCTIONS}.`);
  const { build: bundle } = await import("esbuild").catch((cause) => {
    if (cause.code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new TypeError("Building the functions needs esbuild: `npm install --save-dev esbuild`.", { cause });
  });
  const from = resolve(root);
  const deployment = await readDeployment({ root: from, packageRoot, bundle, banner: BANNER });
  const built = await Promise.all(
    functions.map(async (name) => [
      name,
      await buildFunction({ name, root: from, dir: resolve(outDir, name), deployment, bundle }),
    ]),
  );
  return Object.fromEntries(built);
}

async function buildFunction({ name, root, dir, deployment, bundle }) {
  const config = name === "turn" ? configFileOf(root) : null;
  const isTurn = name === "turn";
  const { outputFiles, metafile } = await bundle({
    absWorkingDir: packageRoot,
    entryPoints: [
      { in: join(packageRoot, "functions", name, "index.ts"), out: "index" },
      ...(isTurn ? [{ in: join(packageRoot, "lib/sandbox/worker.ts"), out: "worker" }] : []),
      ...(config ? [{ in: config, out: "parkway.config" }] : []),
    ],
    // Everything lies flat: code that looks for a neighbour finds it from whichever chunk it ended up in.
    outdir: dir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // Names stay: errors are told apart by those of their classes, and keeping them beside shorter ones costs a tenth of
    // the load time.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    charset: "utf8",
    mainFields: ["module", "main"],
    banner: { js: BANNER },
    plugins: [ownPackage(packageRoot), builtins, oneLocale],
    logLevel: "warning",
    metafile: true,
    write: false,
  });

  const aside = `${dir}.${process.pid}`;
  rmSync(aside, { recursive: true, force: true });
  mkdirSync(aside, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(join(aside, fileNameOf(path)), contents);
  if (isTurn) {
    const wasm = createRequire(import.meta.url).resolve(WASM);
    writeFileSync(join(aside, "emscripten-module.wasm"), readFileSync(wasm));
    // The worker's name ends in .js, whose kind Node would have to guess.
    writeFileSync(join(aside, "package.json"), '{"type":"module"}\n');
  }
  writeFileSync(join(aside, "deployment.json"), `${JSON.stringify(deployment, null, 2)}\n`);
  copyWorkspace({ root, to: aside, documentsOnly: !isTurn, more: deployment.files });
  if (existsSync(dir)) rmSync(dir, { recursive: true });
  renameSync(aside, dir);
  return { dir, metafile };
}

/** Where the sandbox looks for its worker, in a build of any kind. */
function fileNameOf(path) {
  const name = basename(path);
  return name === "worker.mjs" ? "worker.js" : name;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      root: { type: "string", default: "." },
      out: { type: "string", default: "dist/functions" },
      function: { type: "string", multiple: true },
    },
  });
  const built = await buildFunctions({ root: values.root, outDir: values.out, functions: values.function });
  for (const { dir } of Object.values(built)) console.log(dir);
}
