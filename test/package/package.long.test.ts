/** The package as it is published: packed, checked from outside, installed into projects of its own, and run there. */
import { execFile, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGE_VERSION } from "../../lib/version.js";
import { entries, ROOT } from "../api/built.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import { type ModelServer, startModelServer } from "../model-server/index.js";

const BIN = join(ROOT, "node_modules", ".bin");
const folder = temporaryFolder();
const TARBALL = join(folder.dir, `parkway-${PACKAGE_VERSION}.tgz`);
const EXAMPLE = join(folder.dir, "embed");

/** What stands beside the sources for their tests, and maps. */
const FOR_TESTS = /\.(?:test|fixture)\.ts$|^package\/lib\/\w+\/testing\.ts$|\.map$|\/test\//;

const COMPILER_OPTIONS = {
  strict: true,
  module: "nodenext",
  target: "es2023",
  lib: ["es2024", "esnext.disposable"],
  types: ["node"],
  typeRoots: [join(ROOT, "node_modules", "@types")],
  noEmit: true,
};

interface Ran {
  status: number | null;
  out: string;
  err: string;
}

function run(command: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): Ran {
  const { ARCHMAX_MODEL: _model, ...own } = process.env;
  const PATH = [BIN, process.env.PATH ?? ""].join(delimiter);
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: "utf8", env: { ...own, PATH, ...env } });
  return { status, out: stdout, err: stderr };
}

function mustRun(...given: Parameters<typeof run>): Ran {
  const ran = run(...given);
  if (ran.status !== 0)
    throw new Error(`${given[0]} ${given[1].join(" ")} ended with ${ran.status}:\n${ran.out}${ran.err}`);
  return ran;
}

/** Optional peers, which the install has left out: the project gets those of the repository. */
function link(...names: string[]): void {
  for (const name of names) symlinkSync(join(ROOT, "node_modules", name), join(EXAMPLE, "node_modules", name));
}

/** The example is an ESM project with LangChain beside the tarball. */
beforeAll(() => {
  mustRun("npm", ["pack", "--silent", "--pack-destination", folder.dir], ROOT);
  cpSync(join(ROOT, "examples", "embed"), EXAMPLE, {
    recursive: true,
    filter: (path) => !/node_modules|sessions/.test(path),
  });
  const manifest = JSON.parse(readFileSync(join(EXAMPLE, "package.json"), "utf8"));
  manifest.dependencies.parkway = `file:${TARBALL}`;
  writeFileSync(join(EXAMPLE, "package.json"), JSON.stringify(manifest));
  const quick = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  mustRun("npm", ["install", ...quick], EXAMPLE);
}, 600_000);
afterAll(folder.remove);

describe("the tarball", () => {
  it("H-2 holds nothing that publint or attw object to", () => {
    const types = run("attw", ["--profile", "esm-only", "--no-color", "--format", "ascii", TARBALL], folder.dir);
    const lint = run("publint", ["run", TARBALL, "--strict"], folder.dir);

    expect([lint.status, lint.out]).toEqual([0, expect.stringContaining("All good!")]);
    expect([types.status, types.out]).toEqual([0, expect.not.stringMatching(/❌|🚨/u)]);
  });

  it("H-7 holds the authoring skill and no other, nothing of tests, no map, and nothing of the machine that packed it", () => {
    const files = mustRun("tar", ["tzf", TARBALL], folder.dir).out.trim().split("\n");
    const unpacked = join(EXAMPLE, "node_modules", "parkway");
    const text = files
      .map((file) => file.replace(/^package/, unpacked))
      .filter((file) => !file.endsWith(".wasm"))
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");

    expect(files.filter((file) => file.startsWith("package/skills/"))).toEqual([
      "package/skills/parkway-authoring/SKILL.md",
    ]);
    expect(files.filter((file) => FOR_TESTS.test(file))).toEqual([]);
    expect(text).not.toMatch(/^\/\/# sourceMappingURL=/m);
    const here = [join(ROOT, "lib"), join(ROOT, "node_modules"), realpathSync(join(ROOT, "node_modules"))];
    expect(here.filter((path) => text.includes(path))).toEqual([]);
    expect(statSync(TARBALL).size).toBeLessThan(4_000_000);
  });
});

describe("an empty ESM project with the tarball installed", () => {
  it("H-1 H-2 imports every entry, and reads the package's manifest", () => {
    const names = entries()
      .map(({ name }) => name)
      .filter((name) => name !== "parkway/cdk");
    const program = `
      const loaded = {};
      for (const name of ${JSON.stringify(names)}) loaded[name] = Object.keys(await import(name)).length;
      const manifest = await import("parkway/package.json", { with: { type: "json" } });
      console.log(JSON.stringify({ loaded, version: manifest.default.version }));`;
    const { loaded, version } = JSON.parse(
      mustRun(process.execPath, ["--input-type=module", "--eval", program], EXAMPLE).out,
    ) as { loaded: Record<string, number>; version: string };

    expect(version).toBe(PACKAGE_VERSION);
    expect(Object.keys(loaded)).toEqual(names);
    expect(Object.values(loaded).every((count) => count > 0)).toBe(true);
  });

  it("H-7 finds the authoring skill where BUNDLED_AUTHORING_SKILL_DIR says", () => {
    const program = `const { BUNDLED_AUTHORING_SKILL_DIR } = await import("parkway"); console.log(BUNDLED_AUTHORING_SKILL_DIR);`;
    const dir = mustRun(process.execPath, ["--input-type=module", "--eval", program], EXAMPLE).out.trim();

    expect(existsSync(join(dir, "parkway-authoring", "SKILL.md"))).toBe(true);
  });

  it("H-2 type-checks a program against the declarations of every entry, libraries included", () => {
    const dir = join(EXAMPLE, "typed");
    writeTree(dir, {
      "tsconfig.json": JSON.stringify({
        compilerOptions: { ...COMPILER_OPTIONS, skipLibCheck: false },
        files: ["program.ts"],
      }),
      "program.ts": `
        import { createAgent, type Outcome, toolsFromMap } from "parkway";
        import { createStyle } from "parkway/cli";
        import { lastAgentText } from "parkway/messages";
        import { defineCodeState } from "parkway/sandbox";
        import { parseMachineSpec } from "parkway/spec";
        import { runTests } from "parkway/testing";

        const tools = toolsFromMap({ f: { description: "F.", inputSchema: {}, handler: (_in, { sessionId }) => sessionId } });
        const agent = await createAgent({ workflow: "refund", tools });
        const outcome: Outcome = await agent.workflow.send("a", { message: "x" });
        const said: string = lastAgentText(outcome.messages);
        const parsed = parseMachineSpec({});
        const issues: string[] = parsed.ok ? [] : parsed.issues.map(({ message }) => message);
        // @ts-expect-error there is no such option
        await createAgent({ workflow: "refund", subagents: [] });
        void [said, issues, createStyle, defineCodeState(() => {}), runTests];`,
    });
    const { status, out } = run("tsc", ["-p", dir], EXAMPLE);

    expect({ status, out }).toEqual({ status: 0, out: "" });
  });

  it("runs the command, and builds nothing first", () => {
    const help = run("npx", ["--no-install", "parkway", "help"], EXAMPLE);
    const validated = run("npx", ["--no-install", "parkway", "validate", "refund"], EXAMPLE);

    expect([help.status, help.out]).toEqual([0, expect.stringContaining("Usage: parkway")]);
    expect([validated.status, validated.out]).toEqual([0, expect.stringContaining("0 error(s)")]);
  });

  it("plays no demo, and says in a line what the demo needs", () => {
    const { status, out, err } = run("npx", ["--no-install", "parkway", "demo"], EXAMPLE);

    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(err.trim()).toMatch(/^.*run it in a clone.*$/);
  });

  it("C-74 makes a workspace that validates, and whose case passes", () => {
    const made = run("npx", ["--no-install", "parkway", "init", "desk"], EXAMPLE);
    const desk = join(EXAMPLE, "desk");
    const validated = run("npx", ["--no-install", "parkway", "validate"], desk);
    const tested = run("npx", ["--no-install", "parkway", "test"], desk);

    expect([made.status, made.err]).toEqual([0, expect.stringContaining("workflows/desk/workflow.yaml")]);
    expect([validated.status, validated.out]).toEqual([0, expect.stringContaining("0 error(s)")]);
    expect([tested.status, tested.out]).toEqual([0, expect.stringContaining("1 passed")]);
  });
});

/** Links lead to packages that stand in the repository: this says nothing of which versions npm would choose. */
describe("a CDK app with the tarball installed", () => {
  beforeAll(() => {
    link("aws-cdk-lib", "constructs");
    writeTree(EXAMPLE, {
      "stack.ts": `
        import { App, Stack } from "aws-cdk-lib";
        import { loadConfigFile, Parkway } from "parkway/cdk";

        const workspace = import.meta.dirname;
        const config = await loadConfigFile(workspace);
        const app = new App({ outdir: "cdk.out" });
        const stack = new Stack(app, "Desk");
        const parkway = new Parkway(stack, "Parkway", {
          environment: "dev",
          workspace,
          config,
          retention: { removal: "destroy", logDays: 7 },
          credentials: ["api-key"],
        });
        const { template } = app.synth().getStackByName(stack.stackName);
        const types = Object.values(template.Resources as Record<string, { Type: string }>).map(({ Type }) => Type);
        console.log(types.filter((type) => type === "AWS::Lambda::Function").length, parkway.node.id);`,
    });
  });

  it("says what it takes to build the functions", () => {
    const { status, err } = run(process.execPath, ["stack.ts"], EXAMPLE);

    expect([status, err]).toEqual([1, expect.stringContaining("npm install --save-dev esbuild")]);
  });

  it("H-2 synthesizes a stack of the construct, functions built from the sources that ship", () => {
    link("esbuild");
    const { out } = mustRun(process.execPath, ["stack.ts"], EXAMPLE);
    const outDir = join(EXAMPLE, "cdk.out");
    const built = readdirSync(outDir).find((name) => name.startsWith("functions-")) ?? "";

    expect(out).toBe("5 Parkway\n");
    for (const file of ["webhook/index.mjs", "turn/index.mjs", "turn/worker.js", "turn/emscripten-module.wasm"]) {
      expect([file, existsSync(join(outDir, built, file))]).toEqual([file, true]);
    }
    expect(existsSync(join(outDir, built, "turn", "workflows", "refund", "workflow.yaml"))).toBe(true);
  });

  it("H-2 type-checks against the construct's declarations", () => {
    const dir = join(EXAMPLE, "typed-stack");
    writeTree(dir, {
      "tsconfig.json": JSON.stringify({
        compilerOptions: { ...COMPILER_OPTIONS, skipLibCheck: true },
        files: ["../stack.ts"],
      }),
    });
    const { status, out } = run("tsc", ["-p", dir], EXAMPLE);

    expect({ status, out }).toEqual({ status: 0, out: "" });
  });
});

describe("examples/embed, installed from the tarball", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer({
      handler: ({ body }) => {
        const made = body.messages.flatMap((message) => message.tool_calls ?? []).map((call) => call.function.name);
        if (!made.includes("lookup_order"))
          return { toolCalls: [{ name: "lookup_order", args: { order_id: "NL-310" } }] };
        if (!made.includes("archmax_set_variables"))
          return {
            toolCalls: [
              { name: "archmax_set_variables", args: { variables: { order_id: "NL-310", amount_cents: 42_000 } } },
              { name: "archmax_advance", args: { to: "review", reason: "The order is on record." } },
            ],
          };
        return { text: "The refund of 42000 cents waits for the desk lead." };
      },
    });
  });
  afterAll(() => server.close());

  it("H-1 H-18 H-68 parks for a person, completes on the decision, and pays once", async () => {
    rmSync(join(EXAMPLE, "sessions"), { recursive: true, force: true });
    const env = { ARCHMAX_API_BASE_URL: server.url, ARCHMAX_API_KEY: "test-key", ARCHMAX_MODEL: "test-model" };
    const ran = await new Promise<Ran>((resolve) => {
      execFile(process.execPath, ["main.ts"], { cwd: EXAMPLE, env: { ...process.env, ...env } }, (error, out, err) =>
        resolve({ status: error ? 1 : 0, out, err }),
      );
    });

    expect(ran).toMatchObject({
      status: 0,
      out: "parked review The refund of 42000 cents waits for the desk lead.\ncompleted pay refunded\n",
    });
    expect(readFileSync(join(EXAMPLE, "refunds.log"), "utf8")).toBe("NL-310 42000\n");
    expect(server.requests[0]?.body.tools?.map((tool) => tool.function.name)).toContain("lookup_order");
  });
});
