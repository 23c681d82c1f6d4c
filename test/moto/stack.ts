/** The stack of an environment deployed into moto by the CDK's own command. */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ACCOUNT, callQuery, REGION, textsOf } from "./account.js";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..", "..");

export interface Template {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown>; DeletionPolicy?: string }>;
}

export interface StackResource {
  logicalId: string;
  type: string;
  physicalId: string;
}

export interface CdkStack {
  /** What `cdk synth` made of the environment. */
  template(): Template;
  bootstrap(): Promise<void>;
  deploy(): Promise<void>;
  destroy(): Promise<void>;
  /** What the deployed stack says it consists of; empty where there is no such stack. */
  resources(): Promise<StackResource[]>;
  remove(): void;
}

export function cdkStack(environment: string): CdkStack {
  const out = mkdtempSync(join(tmpdir(), "parkway-moto-cdk-"));
  const name = `Parkway-${environment}`;
  const cli = join(dirname(createRequire(import.meta.url).resolve("aws-cdk/package.json")), "bin", "cdk");
  const env = {
    ...process.env,
    PATH: `${join(ROOT, "node_modules", ".bin")}:${process.env.PATH}`,
    CDK_DEFAULT_ACCOUNT: ACCOUNT,
    CDK_DEFAULT_REGION: REGION,
    CDK_DISABLE_CLI_TELEMETRY: "1",
    AWS_EC2_METADATA_DISABLED: "true",
    // moto finds the template in the bucket by the service's own form of its address.
    AWS_ENDPOINT_URL_S3_FOR_CLOUDFORMATION: `https://s3.${REGION}.amazonaws.com`,
  };

  async function cdk(args: readonly string[], cwd = ROOT): Promise<void> {
    const options = { cwd, env, maxBuffer: 2 ** 24 };
    await run(process.execPath, [cli, ...args, "--no-notices"], options).catch((error: Error & { stderr?: string }) => {
      throw new Error(`cdk ${args.join(" ")}:\n${error.stderr ?? error.message}`, { cause: error });
    });
  }

  return {
    template: () => JSON.parse(readFileSync(join(out, `${name}.template.json`), "utf8")) as Template,
    // Outside of the repository: there is no application to read, only an account to prepare.
    bootstrap: () => cdk(["bootstrap", `aws://${ACCOUNT}/${REGION}`], out),
    deploy: () => cdk(["deploy", "-c", `env=${environment}`, "--require-approval", "never", "--output", out]),
    destroy: () => cdk(["destroy", "-c", `env=${environment}`, "--force", "--output", out]),
    async resources() {
      const stacks = textsOf(await callQuery("cloudformation", "DescribeStacks"), "StackName");
      if (!stacks.includes(name)) return [];
      const xml = await callQuery("cloudformation", "ListStackResources", { StackName: name });
      const one = (member: string, element: string) => textsOf(member, element)[0] ?? "";
      return xml
        .split("<member>")
        .slice(1)
        .map((member) => ({
          logicalId: one(member, "LogicalResourceId"),
          type: one(member, "ResourceType"),
          physicalId: one(member, "PhysicalResourceId"),
        }));
    },
    remove: () => rmSync(out, { recursive: true, force: true }),
  };
}
