/** The probe function as an asset: bundled, in a folder outside of the repository. */
import { join } from "node:path";
import { build } from "esbuild";
import { temporaryFolder } from "../../harness/temporary.js";

export async function probeAsset() {
  const folder = temporaryFolder();
  await build({
    entryPoints: [join(import.meta.dirname, "probe.handler.mjs")],
    outfile: join(folder.dir, "index.mjs"),
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return folder;
}
