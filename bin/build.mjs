// Bundles lib/ and cdk/ into dist/, so that the command starts fast: one bundled file loads in a third of the time that the
// packages' hundreds of files take. `npm run build` calls it; bin/parkway.mjs does when dist/ is missing or stale.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { builtins, oneLocale, pastIndexes } from "./functions/plugins.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const dist = join(root, "dist");

// All outputs lie in dist/ itself: code that says `new URL("./worker.js", import.meta.url)` finds its neighbour from
// whichever chunk it ended up in.
const ENTRIES = {
  "main.js": "lib/cli/main.ts",
  "index.js": "lib/index.ts",
  "spec.js": "lib/spec/public.ts",
  "messages.js": "lib/messages/index.ts",
  "testing.js": "lib/cases/index.ts",
  "sandbox.js": "lib/sandbox/author.ts",
  "cli.js": "lib/cli/index.ts",
  "cdk.js": "cdk/index.ts",
  "worker.js": "lib/sandbox/worker.ts",
};
const WASM = "@jitl/quickjs-wasmfile-release-sync/wasm";
const MAP_LINK = /\/\/# sourceMappingURL=\S+\s*$/;
const DAY_MS = 86_400_000;

/** True when there is nothing built, or something in lib/ or cdk/ is newer than what is. */
export function isStale() {
  // What is installed was built before it was packed, and its files' times say nothing.
  if (!existsSync(join(root, "tsconfig.json"))) return false;
  const built = mtime(join(dist, "main.js"));
  if (built === 0) return true;
  const others = [join(root, "package.json"), join(root, "package-lock.json"), fileURLToPath(import.meta.url)];
  if (others.some((file) => mtime(file) > built)) return true;
  return ["lib", "cdk"].some((folder) =>
    readdirSync(join(root, folder), { withFileTypes: true, recursive: true }).some(
      (entry) => !entry.name.endsWith(".test.ts") && mtime(join(entry.parentPath ?? entry.path, entry.name)) > built,
    ),
  );
}

/**
 * Builds dist/. Files are written aside and renamed, entries last, and old chunks stay for a day: a process that is
 * running or starting meanwhile sees a whole build, the old one or the new.
 *
 * @param options.clean - leaves nothing of earlier builds and no source maps, for the package that is published. Names are
 *   those of any other build of these sources, so that a process that runs meanwhile finds its chunks.
 */
export async function build({ clean = false } = {}) {
  const startedAt = new Date();
  const { build: bundle } = await import("esbuild");
  const result = await bundle({
    absWorkingDir: root,
    entryPoints: Object.entries(ENTRIES).map(([out, source]) => ({ in: source, out: out.replace(/\.js$/, "") })),
    outdir: dist,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    // An app has its own CDK, and its constructs know each other by class.
    external: ["aws-cdk-lib", "aws-cdk-lib/*", "constructs"],
    sourcemap: "linked",
    sourcesContent: false,
    // No file imports a Node built-in by a statement, so that the light entries are fit for a browser (H-3).
    plugins: [builtins, oneLocale, pastIndexes],
    logLevel: "warning",
    write: false,
  });

  const wasm = { name: "emscripten-module.wasm", contents: readFileSync(createRequire(import.meta.url).resolve(WASM)) };
  const outputs = clean ? result.outputFiles.filter(({ path }) => !path.endsWith(".map")) : result.outputFiles;
  const bundled = outputs.map((file) => ({
    name: basename(file.path),
    contents: clean ? file.text.replace(MAP_LINK, "") : file.contents,
  }));
  // Whatever an entry needs is there before it, and main.js, which tells that all is built, comes last.
  const order = ({ name }) => (name === "main.js" ? 2 : name in ENTRIES ? 1 : 0);
  const files = [wasm, ...bundled].sort((a, b) => order(a) - order(b));
  mkdirSync(dist, { recursive: true });
  for (const { name, contents } of files) {
    const aside = join(dist, `${name}.${process.pid}`);
    writeFileSync(aside, contents);
    if (name === "main.js") utimesSync(aside, startedAt, startedAt);
    renameSync(aside, join(dist, name));
  }
  prune(new Set(files.map(({ name }) => name)), startedAt.getTime() - (clean ? 0 : DAY_MS));
}

function prune(written, before) {
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    const path = join(dist, entry.name);
    if (entry.isFile() && !written.has(entry.name) && mtime(path) < before) unlinkSync(path);
  }
}

function mtime(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ clean: process.argv.includes("--clean") });
