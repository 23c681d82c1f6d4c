/**
 * The bench's environment: the fixture workspace, built and synthesized as `cdk deploy` would, copied out of the repository,
 * and running.
 */
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { parse, stringify } from "yaml";
import type { Deployment } from "../../lib/config/deployment.js";
import { createDynamoSessionStore } from "../../lib/stores/dynamodb/index.js";
import { createS3FileStore, createS3LargeValues } from "../../lib/stores/s3/index.js";
import type { DynamoDb } from "../harness/dynamodb.js";
import { temporaryFolder } from "../harness/temporary.js";
import { type Deployed, deploy } from "./deployed/deploy.js";

const REPOSITORY = join(import.meta.dirname, "..", "..");
export const GATE_SECRET = "gate-secret";
export const GITHUB_SECRET = "It's a Secret to Everybody";

export interface Assembly {
  template: object;
  /** Of a function's code, as the template names it. */
  assetOf(code: Record<string, unknown>): string;
}

/** Everything lies outside of the repository: the workspace, the build, and the assets of the assembly. */
export async function assemble(): Promise<Assembly> {
  const outdir = join(await assembled(), "cdk.out");
  const template = JSON.parse(readFileSync(join(outdir, `${STACK}.template.json`), "utf8")) as object;
  return {
    template,
    assetOf(code) {
      const dir = join(outdir, `asset.${String(code.S3Key).replace(/\.zip$/, "")}`);
      if (!existsSync(join(dir, "index.mjs"))) throw new Error(`The assembly has no asset ${code.S3Key}.`);
      return dir;
    },
  };
}

/** Building takes longer than most tests, so what was built from the very same files is used again, by one test file after another. */
async function assembled(): Promise<string> {
  const dir = join(tmpdir(), `${PREFIX}${fingerprint()}`);
  const lock = `${dir}.lock`;
  for (let waitedMs = 0; !existsSync(dir); waitedMs += POLL_MS) {
    if (isTaken(lock) && waitedMs < BUILD_WITHIN_MS) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      continue;
    }
    removeOld();
    const aside = `${dir}.${process.pid}`;
    await buildInto(aside);
    if (!existsSync(dir)) renameSync(aside, dir);
    rmSync(lock, { recursive: true, force: true });
  }
  return dir;
}

const PREFIX = "parkway-bench-";
const POLL_MS = 200;
const BUILD_WITHIN_MS = 120_000;
const KEPT_MS = 24 * 60 * 60_000;

/** False for whoever takes it. One that was left behind by a process that died is waited for no longer than a build takes. */
function isTaken(lock: string): boolean {
  try {
    mkdirSync(lock);
    return false;
  } catch {
    return true;
  }
}

function removeOld(): void {
  for (const name of readdirSync(tmpdir()).filter((entry) => entry.startsWith(PREFIX))) {
    const path = join(tmpdir(), name);
    if (statSync(path).mtimeMs < Date.now() - KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}

const STACK = "Parkway-bench";
const SOURCES = [
  "bin",
  "cdk",
  "functions",
  "lib",
  "workflows",
  "skills",
  "test/aws/workspace",
  "test/aws/environment.ts",
  "test/crash/effect-tools.ts",
  "package-lock.json",
];

function fingerprint(): string {
  const hash = createHash("sha256");
  const add = (path: string) => {
    const file = join(REPOSITORY, path);
    if (statSync(file).isDirectory()) for (const name of readdirSync(file).sort()) add(join(path, name));
    else hash.update(path).update(readFileSync(file));
  };
  for (const path of SOURCES) add(path);
  return hash.digest("hex").slice(0, 16);
}

async function buildInto(dir: string): Promise<void> {
  const root = join(dir, "test", "aws", "workspace");
  cpSync(join(REPOSITORY, "test/aws/workspace"), root, { recursive: true });
  const bundled = ["hello-park", "hello-wait", "invoice-chaser", "draft-reminder"].map((name) => `workflows/${name}`);
  for (const path of [...bundled, "skills/letter-style"]) {
    cpSync(join(REPOSITORY, path), join(root, path), { recursive: true });
  }
  // The configuration imports these from where they lie in the repository.
  for (const path of ["workflows/invoice-chaser/host", "workflows/refund-desk/host"]) {
    cpSync(join(REPOSITORY, path), join(dir, path), { recursive: true });
  }
  writeFileSync(join(root, MODEL), allReplies([MODEL, "workflows/invoice-chaser/demo/replies.yaml"], root));
  mkdirSync(join(dir, "test", "crash"));
  cpSync(join(REPOSITORY, "test/crash/effect-tools.ts"), join(dir, "test/crash/effect-tools.ts"));
  const [{ App }, { buildFunctions }, { ParkwayStack }] = await Promise.all([
    import("aws-cdk-lib"),
    import("../../bin/build-functions.mjs"),
    import("../../cdk/stack.js"),
  ]);
  const assets = join(dir, "build");
  const built = await buildFunctions({ root, outDir: assets });
  const app = new App({ outdir: join(dir, "cdk.out") });
  new ParkwayStack(app, STACK, {
    parkway: {
      environment: "bench",
      workspace: root,
      assets,
      config: JSON.parse(readFileSync(join(built.trigger.dir, "deployment.json"), "utf8")) as Deployment,
      credentials: ["api-key"],
      retention: { removal: "destroy", logDays: 1, finishedDays: 30 },
      turns: { maxConcurrency: 8 },
      modelEnv: { ARCHMAX_MODEL: `script:${MODEL}` },
    },
  });
  app.synth();
}

/** One scripted model answers for every workflow: none of their agent states have a name in common. */
const MODEL = "workflows/errands/model.yaml";

function allReplies(files: readonly string[], root: string): string {
  const scripts = files.map((file) => parse(readFileSync(join(root, file), "utf8")) as { replies: unknown[] });
  return stringify({ replies: scripts.flatMap(({ replies }) => replies) });
}

export interface Bench extends Deployed {
  /** Effects of tools land here, in a folder for each session. */
  effectsDir: string;
  /** Past the wire. */
  dynamoDb: DynamoDBClient;
  /** The stores as they are, read past the wire. */
  stores: ReturnType<typeof openStores>;
}

export async function startBench(assembly: Assembly, db: DynamoDb): Promise<Bench> {
  const effects = temporaryFolder();
  const deployed = await deploy({
    template: assembly.template,
    assetOf: assembly.assetOf,
    dynamoDb: db,
    environment: { BENCH_EFFECTS: effects.dir },
  });
  deployed.engines.ssm.set("/parkway/bench/gate", GATE_SECRET);
  deployed.engines.secrets.set("parkway-bench-github", JSON.stringify({ current: GITHUB_SECRET }));
  return {
    ...deployed,
    effectsDir: effects.dir,
    dynamoDb: db.client(),
    stores: openStores(deployed, db),
    async stop() {
      await deployed.stop();
      effects.remove();
    },
  };
}

function openStores(deployed: Deployed, db: DynamoDb) {
  const client = deployed.engines.s3.client();
  const bucket = deployed.variable("turn", "PARKWAY_BUCKET");
  const table = deployed.variable("turn", "PARKWAY_TABLE");
  const largeValues = createS3LargeValues({ bucket, client });
  return {
    sessions: createDynamoSessionStore({ table, client: db.client(), largeValues }),
    files: createS3FileStore({ bucket, client }),
  };
}
