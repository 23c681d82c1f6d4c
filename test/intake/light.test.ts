/** What an entrance loads. */
import { build } from "esbuild";
import { expect, it } from "vitest";

it("F-78 bundles no model library and no graph into what accepts inputs", async () => {
  const bundle = await build({
    entryPoints: ["lib/intake/index.ts"],
    absWorkingDir: process.cwd(),
    bundle: true,
    platform: "node",
    format: "esm",
    metafile: true,
    write: false,
    logLevel: "silent",
  });

  const inputs = Object.keys(bundle.metafile.inputs);
  expect(inputs).toContain("lib/intake/intake.ts");
  expect(
    inputs.filter((path) => /@langchain|langsmith|lib\/(?:turn|models|tools|sandbox|stores)\//.test(path)),
  ).toEqual([]);
});
