/** The entry points of the package: what each reaches, from its source and as it is built. */
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { beforeAll, describe, expect, it } from "vitest";
import * as messages from "../../lib/messages/index.js";
import * as spec from "../../lib/spec/public.js";
import { buildIfStale, entries, entry, ROOT, staticGraph } from "./built.js";

beforeAll(buildIfStale, 120_000);

/** Source files and packages that an entry's source reaches, by statement and at run time. */
async function reached(name: string): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry(name).source],
    bundle: true,
    packages: "external",
    format: "esm",
    metafile: true,
    write: false,
    logLevel: "silent",
    outdir: "unused",
  });
  const imports = Object.values(metafile.inputs).flatMap(({ imports: found }) => found);
  return {
    files: Object.keys(metafile.inputs),
    packages: [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))].sort(),
  };
}

describe("the entry points", () => {
  it("H-2 are these, each a file of its own", () => {
    expect(entries().map(({ name }) => name)).toEqual([
      "parkway",
      "parkway/spec",
      "parkway/messages",
      "parkway/testing",
      "parkway/sandbox",
      "parkway/cli",
      "parkway/cdk",
    ]);
    expect(new Set(entries().map(({ file }) => file)).size).toBe(entries().length);
  });

  it.each([
    ["parkway/spec", ["re2js", "zod"], /^lib\/spec\//],
    ["parkway/messages", [], /^lib\/messages\//],
    ["parkway/sandbox", [], /^lib\/sandbox\/author\.ts$/],
  ])("H-2 H-3 %s reaches %j and nothing else", async (name, packages, folders) => {
    const found = await reached(name);

    expect(found.packages).toEqual(packages);
    expect(found.files.filter((file) => !folders.test(file))).toEqual([]);
  });

  it.each([
    ["parkway/cdk", /^(?:aws-cdk-lib|constructs)(?:\/|$)/],
    ["parkway/cli", /^$/],
  ])("H-2 %s loads nothing of the engine", (name, packages) => {
    const { text, outside } = staticGraph(entry(name).file);
    // The bundler writes each file's path above its code.
    const engine =
      /^\/\/ (?:lib\/(?:agent|turn|models\/(?!usage)|sandbox|artifacts|local|cases|mcp)\b.*|.*node_modules\/@langchain\/.*)/gm;

    expect(text.match(engine) ?? []).toEqual([]);
    expect(outside.filter((specifier) => !packages.test(specifier))).toEqual([]);
  });

  it.each(["parkway/spec", "parkway/messages", "parkway/sandbox"])(
    "H-3 the bundle of %s imports no built-in and no package",
    (name) => {
      const { outside, text } = staticGraph(entry(name).file);

      expect(outside).toEqual([]);
      expect(text).not.toMatch(/\bgetBuiltinModule\b|["']node:/);
    },
  );

  it("H-3 parkway/spec and parkway/messages work where there is nothing but the language and URL", async () => {
    const { outputFiles } = await build({
      absWorkingDir: ROOT,
      stdin: {
        contents: `
          import { lastAgentText } from "./${entry("parkway/messages").file}";
          import { compileGlob, parseMachineSpec, signatureValueIssues } from "./${entry("parkway/spec").file}";
          globalThis.found = {
            text: lastAgentText([{ role: "assistant", content: "Done." }]),
            refused: parseMachineSpec({ states: { a: { transitions: [{ to: "b" }] } } }).ok,
            matches: compileGlob("scratchpad/*.md")("scratchpad/a.md"),
            issues: signatureValueIssues([{ name: "page", type: "string", format: "url" }], { page: "https://x.example" }),
          };`,
        resolveDir: ROOT,
      },
      bundle: true,
      format: "iife",
      platform: "browser",
      logLevel: "error",
      write: false,
    });
    const context: { URL: typeof URL; found?: unknown } = { URL };
    runInNewContext(outputFiles[0]!.text, context);

    expect(context.found).toEqual({ text: "Done.", refused: false, matches: true, issues: [] });
  });

  it("H-4 H-130 every name of a light entry is the root's own, built and in source", async () => {
    const load = (name: string): Promise<Record<string, unknown>> => import(`${ROOT}/${entry(name).file}`);
    const built = await load("parkway");
    const source = (await import("../../lib/index.js")) as Record<string, unknown>;
    for (const [name, names] of Object.entries({ "parkway/spec": spec, "parkway/messages": messages })) {
      const light = await load(name);

      expect(Object.keys(light).sort()).toEqual(Object.keys(names).sort());
      for (const key of Object.keys(names)) {
        expect([key, built[key] === light[key]]).toEqual([key, true]);
        expect([key, source[key] === (names as Record<string, unknown>)[key]]).toEqual([key, true]);
      }
    }
    expect((await load("parkway/cli")).renderEventLine).toBe(built.renderEventLine);
  });

  it("F-78 importing the root loads neither LangChain nor LangGraph", async () => {
    const { text } = staticGraph(entry("parkway").file);

    expect(text).not.toMatch(/node_modules\/(?:@langchain|langsmith|yaml|acorn)\//);
  });
});
