import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { temporaryFolder } from "../harness/temporary.js";

it("F-77 bundled code takes exports of Node's modules by name, from those it imports at run time too", async () => {
  const { builtins } = (await import("../../bin/functions/plugins.mjs" as string)) as { builtins: never };
  const folder = temporaryFolder();
  writeFileSync(
    join(folder.dir, "source.mjs"),
    'import { basename } from "node:path"; const { createRequire } = await import("node:module"); export const kinds = [typeof basename, typeof createRequire];',
  );
  const outfile = join(folder.dir, "out.mjs");
  await build({
    ...{ entryPoints: [join(folder.dir, "source.mjs")], outfile, bundle: true, format: "esm", platform: "node" },
    plugins: [builtins],
  });
  const { kinds } = (await import(pathToFileURL(outfile).href)) as { kinds: string[] };
  folder.remove();

  expect(kinds).toEqual(["function", "function"]);
});
