import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { aRoot, runCli } from "../cli/stage.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const GUIDES = join(ROOT, "docs/guides");
const PAGES = readdirSync(GUIDES).map((name) => ({ name, text: readFileSync(join(GUIDES, name), "utf8") }));

function blocks(language: string) {
  return PAGES.flatMap(({ name, text }) =>
    [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(([, source], index) => ({
      name: `${name.replace(".md", "")}-${index + 1}`,
      source: source!,
    })),
  );
}

describe("the guides", () => {
  it("have workflows that are valid without a warning", async () => {
    const workflows = blocks("yaml");
    expect(workflows.length).toBeGreaterThan(0);
    for (const { name, source } of workflows) {
      const root = aRoot([], { [`workflows/${name}/workflow.yaml`]: source });

      const { out, err } = await runCli(["validate", name], { root });

      expect({ name, out, err: err.includes("warning") }).toEqual({
        name,
        out: "valid — 0 error(s), 0 warning(s)\n",
        err: false,
      });
    }
  });

  it("have programs that fit the types", () => {
    const { dir, remove } = temporaryFolder();
    const programs = blocks("ts");
    writeTree(dir, {
      ...Object.fromEntries(programs.map(({ name, source }) => [`${name}.ts`, source])),
      "package.json": '{ "type": "module" }',
      "tsconfig.json": JSON.stringify({
        extends: join(ROOT, "tsconfig.json"),
        compilerOptions: {
          typeRoots: [join(ROOT, "node_modules/@types")],
          paths: {
            parkway: [join(ROOT, "lib/index.ts")],
            "parkway/testing": [join(ROOT, "lib/cases/index.ts")],
          },
        },
        include: ["*.ts"],
      }),
    });
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");

    const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", dir], { encoding: "utf8" });

    remove();
    expect(programs.length).toBeGreaterThan(5);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
  }, 120_000);

  it("link to pages that exist", () => {
    const pages = [...PAGES.map(({ name, text }) => ({ name: `docs/guides/${name}`, text }))];
    for (const { name, text } of pages) {
      for (const [, target] of text.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
        const path = join(ROOT, name, "..", target!);
        expect(() => readFileSync(path), `${name}: ${target}`).not.toThrow();
      }
    }
  });
});
