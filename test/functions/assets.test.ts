import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Metafile } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildFunctions, FUNCTIONS, type FunctionName } from "../../bin/build-functions.mjs";
import { sha256Hex } from "../../lib/session/index.js";
import { temporaryFolder } from "../harness/temporary.js";

const ENTRANCES = FUNCTIONS.filter((name) => name !== "turn");
const VARIABLES = {
  PARKWAY_ENVIRONMENT: "test",
  PARKWAY_TABLE: "table",
  PARKWAY_BUCKET: "bucket",
  PARKWAY_QUEUE_URL: "http://127.0.0.1:9/queue",
  PARKWAY_BUS: "bus",
  PARKWAY_CREDENTIALS: "api-key",
  PARKWAY_API_KEYS_SECRET: "secret:keys",
  AWS_REGION: "eu-central-1",
};
const CONFIG = `
  import { createFilesystemBackend, defaultMounts, defineConfig, toolsFromMap } from "parkway";
  const ping = { description: "Pings.", inputSchema: { type: "object" }, handler: async () => import.meta.dirname };
  export default defineConfig({
    tools: toolsFromMap({ ping }),
    mounts: {
      ...defaultMounts(import.meta.dirname),
      "/kb/": { backend: createFilesystemBackend(import.meta.dirname + "/kb"), governed: true },
    },
    files: ["kb/"],
    webhooks: { "hello-park/exit_camera": { verify: { scheme: "github", secrets: ["ssm:/hooks/github"] } } },
  });`;

describe("the functions' assets", () => {
  const folder = temporaryFolder();
  const root = join(folder.dir, "workspace");
  /** As if on another machine: nothing of this repository lies above it. */
  const away = join(folder.dir, "away");
  let metafiles: Record<FunctionName, Metafile>;

  beforeAll(async () => {
    cpSync("workflows/hello-park", join(root, "workflows/hello-park"), { recursive: true });
    const files = {
      "parkway.config.ts": CONFIG,
      ".env": "ARCHMAX_API_KEY=sk-local",
      "AGENTS.md": "Be kind.",
      "mcp.json": '{ "shop": { "command": ["node", "kb/server.mjs"] } }',
      "skills/greet/SKILL.md": "---\nname: greet\ndescription: Greets.\n---\n",
      "workflows/hello-park/.env.local": "SECRET=1",
      "workflows/hello-park/WORKFLOW.md": "About parking.",
      "sessions/.parkway/parkway.db": "rows",
      "notes.txt": "private",
      "kb/prices/eu.csv": "1,2",
      "kb/.env": "SECRET=1",
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    symlinkSync("/etc/passwd", join(root, "workflows/hello-park/passwd"));
    const built = await buildFunctions({ root, outDir: join(folder.dir, "out") });
    metafiles = Object.fromEntries(FUNCTIONS.map((name) => [name, built[name].metafile])) as typeof metafiles;
    cpSync(join(folder.dir, "out"), away, { recursive: true });
  }, 120_000);
  afterAll(() => folder.remove());

  const filesOf = (name: string) => {
    const all = readdirSync(join(away, name), { withFileTypes: true, recursive: true });
    return all
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(away, name).length + 1));
  };

  it.each(ENTRANCES)("F-78 bundles nothing of the model library into %s", (name) => {
    const inputs = Object.keys(metafiles[name].inputs);

    expect(inputs.filter((path) => /@langchain|langsmith|openai|quickjs/.test(path))).toEqual([]);
    expect(inputs.filter((path) => /lib\/(?:turn|models|sandbox|agent)\//.test(path))).toEqual([]);
  });

  it("F-78 leaves providers, the bucket's client and the sandbox out of what the turn function loads at its start", () => {
    const loaded = [...staticInputs(metafiles.turn)];

    expect(
      loaded.filter((path) => /@langchain\/openai|@modelcontextprotocol|client-s3|quickjs|acorn|aws-xray/.test(path)),
    ).toEqual([]);
  });

  it.each(FUNCTIONS)("F-77 %s starts in a folder of its own, and its files define require", (name) => {
    const code = `import(${JSON.stringify(pathToFileURL(join(away, name, "index.mjs")).href)})
      .then(({ handler }) => { console.log(typeof handler); process.exit(0); });`;

    const output = execFileSync(process.execPath, ["-e", code], { cwd: away, env: VARIABLES, encoding: "utf8" });

    expect(output.trim()).toBe("function");
    for (const file of filesOf(name).filter((path) => path.endsWith(".mjs"))) {
      expect(readFileSync(join(away, name, file), "utf8"), file).toMatch(/^const require=/);
    }
  });

  it.each(FUNCTIONS)("H-126 %s names what its environment lacks", (name) => {
    const code = `import(${JSON.stringify(pathToFileURL(join(away, name, "index.mjs")).href)})
      .then(({ handler }) => handler({ Records: [{ messageId: "m", body: '{"sessionId":"s"}' }] },
        { getRemainingTimeInMillis: () => 1e6 }))
      .catch((error) => console.log(error.message))
      .finally(() => process.exit(0));`;

    const output = execFileSync(process.execPath, ["-e", code], { env: { AWS_REGION: "x" }, encoding: "utf8" });

    expect(output).toContain("PARKWAY_TABLE, PARKWAY_BUCKET, PARKWAY_QUEUE_URL");
  });

  it("H-129 keeps the names of our errors' classes, which are told apart by them", () => {
    const code = FUNCTIONS.flatMap((name) =>
      filesOf(name).map((file) => (/\.m?js$/.test(file) ? readFileSync(join(away, name, file), "utf8") : "")),
    ).join("\n");

    expect(code).toMatch(/\bLeaseLostError\s*=\s*class|class LeaseLostError\b/);
    expect(code).not.toMatch(/class \w+Error\d+ extends ParkwayError|\b\w+Error\d+\s*=\s*class extends ParkwayError/);
  });

  it("bundles the configuration at the root of the turn function, with its host tools", () => {
    const url = JSON.stringify(pathToFileURL(join(away, "turn", "parkway.config.mjs")).href);
    const code = `import(${url}).then(async ({ default: { tools } }) => console.log(await tools[0].invoke({})))`;

    const output = execFileSync(process.execPath, ["-e", code], { encoding: "utf8" });

    expect(output.trim()).toBe(join(away, "turn"));
  });

  it("H-93 serves from the asset what the configuration's mounts read", () => {
    const url = JSON.stringify(pathToFileURL(join(away, "turn", "parkway.config.mjs")).href);
    const code = `import(${url}).then(async ({ default: { mounts } }) => {
      const { data } = await mounts["/kb/"].backend.readRaw("/prices/eu.csv");
      console.log(Object.keys(mounts).join(), data.content); })`;

    const output = execFileSync(process.execPath, ["-e", code], { encoding: "utf8" });

    expect(output.trim()).toBe("/skills/,/.platform/,/AGENTS.md,/kb/ 1,2");
  });

  it.each(FUNCTIONS)("H-91 tells %s of the deployment's entrances and mounts", (name) => {
    const { webhooks, mountNames } = JSON.parse(readFileSync(join(away, name, "deployment.json"), "utf8"));

    expect(Object.keys(webhooks)).toEqual(["hello-park/exit_camera"]);
    expect(mountNames).toEqual([".platform", "AGENTS.md", "kb", "skills"]);
  });

  it("A-64 H-126 takes the authored files along, and nothing that is private, a session's or a test's", () => {
    const authored = (name: string) => filesOf(name).filter((path) => !/\.m?js$/.test(path) || path.includes("/"));

    expect(authored("turn").sort()).toEqual([
      "AGENTS.md",
      "deployment.json",
      "emscripten-module.wasm",
      "kb/prices/eu.csv",
      "mcp.json",
      "package.json",
      "skills/greet/SKILL.md",
      "workflows/hello-park/WORKFLOW.md",
      "workflows/hello-park/scripts/check-in.js",
      "workflows/hello-park/scripts/close-visit.js",
      "workflows/hello-park/scripts/hold-car.js",
      "workflows/hello-park/workflow.yaml",
    ]);
    expect(authored("webhook").sort()).toEqual([
      "deployment.json",
      "workflows/hello-park/WORKFLOW.md",
      "workflows/hello-park/workflow.yaml",
    ]);
  });

  it("gives the same bytes for the same sources", async () => {
    const again = join(folder.dir, "again");
    await buildFunctions({ root, outDir: again, functions: ["turn"] });

    expect(contentsOf(join(again, "turn"))).toEqual(contentsOf(join(away, "turn")));
  }, 60_000);

  it("refuses a configuration whose entrance leads nowhere", async () => {
    const other = join(folder.dir, "other");
    cpSync(root, other, { recursive: true });
    writeFileSync(
      join(other, "parkway.config.ts"),
      `export default { webhooks: { "hello-park/gone": { verify: { scheme: "github", secrets: ["env:KEY"] } } } };`,
    );

    const build = buildFunctions({ root: other, outDir: join(folder.dir, "none"), functions: ["wake"] });

    await expect(build).rejects.toThrow(/hello-park.*has no trigger "gone"[\s\S]*env:KEY is for one's own machine/);
    expect(existsSync(join(folder.dir, "none"))).toBe(false);
  });

  it("refuses a configuration whose files do not exist", async () => {
    const other = join(folder.dir, "no-files");
    cpSync(root, other, { recursive: true });
    writeFileSync(join(other, "parkway.config.ts"), `export default { files: ["kb", "gone"] };`);

    const build = buildFunctions({ root: other, outDir: join(folder.dir, "nothing"), functions: ["turn"] });

    await expect(build).rejects.toThrow(/`files` names gone/);
  });
});

/** What is loaded when the entry is, without what is imported when it is needed. */
function staticInputs({ outputs }: Metafile): Set<string> {
  const entry = Object.keys(outputs).find((path) => path.endsWith("/index.mjs")) ?? "";
  const chunks = new Set([entry]);
  for (const path of chunks) {
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && outputs[imported]) chunks.add(imported);
    }
  }
  return new Set([...chunks].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {})));
}

function contentsOf(dir: string): [string, string][] {
  const entries = readdirSync(dir, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path): [string, string] => [path.slice(dir.length), sha256Hex(readFileSync(path).toString("base64"))])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
