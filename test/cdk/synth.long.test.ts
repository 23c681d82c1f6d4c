import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

const ROOT = join(import.meta.dirname, "..", "..");

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "parkway-synth-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The command as it is typed, with CDK's own check of the template and cdk-nag's. */
function synth(...args: string[]) {
  const folder = aFolder();
  const command = ["cdk", "synth", "--quiet", "--no-notices", "--no-version-reporting", "--output", folder, ...args];
  const env = { ...process.env, CDK_VALIDATION: undefined, AWS_ENDPOINT_URL: "http://127.0.0.1:9" };
  const { status, stderr } = spawnSync("npx", command, { cwd: ROOT, env, encoding: "utf8" });
  return { folder, status, stderr };
}

describe("npx cdk synth", () => {
  it.each(["dev", "prod"])("-c env=%s works offline and has no finding", (name) => {
    const { status, stderr, folder } = synth("-c", `env=${name}`);

    expect(stderr).not.toMatch(/ERROR|WARNING/);
    expect(status).toBe(0);
    const template = readFileSync(join(folder, `Parkway-${name}.template.json`), "utf8");
    expect(template).toContain("ParkwayTable");
    const assets = readdirSync(folder).filter((entry) => entry.startsWith("asset."));
    expect(assets.length).toBeGreaterThanOrEqual(5);
    for (const asset of assets) expect(readdirSync(join(folder, asset))).toContain("index.mjs");
  });

  it.each([{ args: [] }, { args: ["-c", "env=stage"] }])("with $args says in one line what there is", ({ args }) => {
    const { status, stderr } = synth(...args);

    expect(status).not.toBe(0);
    expect(stderr).toContain("-c env=dev or -c env=prod.");
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe("parkway/cdk in somebody's app", () => {
  const APP = `
    import { App, Stack } from "aws-cdk-lib";
    import { loadConfigFile, Parkway } from "parkway/cdk";

    const app = new App({ outdir: "out" });
    const workspace = import.meta.dirname;
    const desk = new Parkway(new Stack(app, "Desk"), "Parkway", {
      environment: "desk",
      workspace,
      config: await loadConfigFile(workspace),
      retention: { removal: "destroy", logDays: 1 },
      credentials: ["api-key"],
    });
    app.synth();
  `;

  it("makes the environment of that app's workspace, beside its own packages", () => {
    const folder = aFolder();
    const packages = join(folder, "node_modules");
    mkdirSync(packages);
    symlinkSync(ROOT, join(packages, "parkway"));
    for (const name of ["aws-cdk-lib", "constructs"])
      symlinkSync(join(ROOT, "node_modules", name), join(packages, name));
    cpSync(join(ROOT, "workflows", "hello-park"), join(folder, "workflows", "hello-park"), { recursive: true });
    writeFileSync(join(folder, "app.mjs"), APP);
    const built = spawnSync(process.execPath, ["bin/build.mjs"], { cwd: ROOT, encoding: "utf8" });

    const { status, stderr } = spawnSync(process.execPath, ["app.mjs"], { cwd: folder, encoding: "utf8" });

    expect([built.status, status], stderr).toEqual([0, 0]);
    const template = readFileSync(join(folder, "out", "Desk.template.json"), "utf8");
    expect(template).toContain('"ParkwayTable"');
    const turn = readdirSync(join(folder, "out")).find((entry) => entry.startsWith("functions-")) ?? "";
    expect(readdirSync(join(folder, "out", turn, "turn", "workflows"))).toEqual(["hello-park"]);
  });
});
