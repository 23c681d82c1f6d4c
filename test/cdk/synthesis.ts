/** Environments of a small workspace, synthesized in this process; nothing is bundled and nothing is asked of the network. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { afterAll } from "vitest";
import { ENVIRONMENTS, environmentNamed } from "../../cdk/environments/index.js";
import type { ParkwayProps } from "../../cdk/index.js";
import { ParkwayStack } from "../../cdk/stack.js";
import type { Deployment } from "../../lib/config/index.js";

// CDK's own check of the template takes seconds; the long test has it.
process.env.CDK_VALIDATION = "false";

/** Holds the one workflow that the configuration names. */
const WORKSPACE = join(import.meta.dirname, "workspace");

export const CONFIG: Deployment = {
  webhooks: {
    "orders/created": { verify: { scheme: "github", secrets: ["ssm:/shop/hook", "ssm:/shop/hook-before"] } },
    "orders/paid": {
      verify: {
        scheme: "stripe",
        secrets: ["secret:arn:aws:secretsmanager:eu-west-1:111122223333:secret:pay-AbCdEf#hook"],
      },
    },
    "orders/opened": { verify: { scheme: "none", allowUnsigned: true } },
  },
  events: {
    "bucket-written": {
      workflow: "orders",
      trigger: "written",
      bus: "default",
      pattern: { source: ["aws.s3"], "detail-type": ["Object Created"] },
    },
    "order-placed": {
      workflow: "orders",
      trigger: "placed",
      pattern: { source: ["shop"], "detail-type": ["OrderPlaced"], detail: { total: [{ numeric: [">", 100] }] } },
    },
  },
  schedules: {
    morning: { workflow: "orders", trigger: "daily", schedule: "cron(0 8 * * ? *)", timeZone: "Europe/Vienna" },
    often: { workflow: "orders", trigger: "check", schedule: "rate(5 minutes)" },
  },
};

export interface Resource {
  Type: string;
  Properties: Record<string, unknown>;
  DependsOn?: string | string[];
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}
export type Resources = Record<string, Resource>;

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** An app in which functions are shells. */
export function anApp(): App {
  const outdir = mkdtempSync(join(tmpdir(), "parkway-cdk-"));
  folders.push(outdir);
  return new App({ outdir, analyticsReporting: false, context: { "aws:cdk:bundling-stacks": [] } });
}

export type Overrides = Partial<ParkwayProps>;

export function settings(name: string, overrides: Overrides = {}): ParkwayProps {
  const { account, region, ...environment } = environmentNamed(name, ENVIRONMENTS);
  return { workspace: WORKSPACE, config: CONFIG, ...environment, ...overrides };
}

export function aStack(app: App, name: string, overrides: Overrides = {}): ParkwayStack {
  return new ParkwayStack(app, `Parkway-${name}`, { parkway: settings(name, overrides) });
}

const known = new Map<string, Template>();

/** One of the repository's environments; synthesized once a file unless something of it is overridden. */
export function templateOf(name: "dev" | "prod", overrides?: Overrides): Template {
  const template = known.get(name);
  if (template !== undefined && overrides === undefined) return template;
  const made = Template.fromStack(aStack(anApp(), name, overrides));
  if (overrides === undefined) known.set(name, made);
  return made;
}

export function resourcesOf(template: Template): Resources {
  return template.toJSON().Resources as Resources;
}

export function ofType(template: Template, type: string): [id: string, resource: Resource][] {
  return Object.entries(resourcesOf(template)).filter(([, resource]) => resource.Type === type);
}

/** The one resource whose logical id begins so, such as `ParkwayFunctionsTurnFunction`. */
export function named(template: Template, beginning: string, type: string): Resource {
  const found = ofType(template, type).filter(([id]) => id.startsWith(beginning));
  if (found.length !== 1 || found[0] === undefined)
    throw new Error(`${found.length} resources begin with ${beginning}`);
  return found[0][1];
}

/** Every logical id that a value refers to, by whatever intrinsic function. */
export function referencesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== "object" || value === null) return [];
  const { Ref: ref, "Fn::GetAtt": attribute, "Fn::Sub": text } = value as Record<string, unknown>;
  if (typeof ref === "string") return ref.startsWith("AWS::") ? [] : [ref];
  if (Array.isArray(attribute)) return [String(attribute[0])];
  const template = Array.isArray(text) ? text[0] : text;
  const inText =
    typeof template === "string" ? [...template.matchAll(/\$\{([A-Za-z0-9]+)/g)].map(([, id = ""]) => id) : [];
  return [...inText, ...Object.values(value).flatMap(referencesIn)];
}

/** Statements of a function's role, as they stand in the template. */
export function statementsOf(template: Template, functionName: string): Statement[] {
  const capital = functionName.charAt(0).toUpperCase() + functionName.slice(1);
  const policy = named(template, `ParkwayFunctions${capital}Role`, "AWS::IAM::Policy");
  return (policy.Properties.PolicyDocument as { Statement: Statement[] }).Statement;
}

export interface Statement {
  Effect: string;
  Action: string | string[];
  Resource: unknown;
  Condition?: unknown;
}

export const actionsOf = (statement: Statement): string[] => [statement.Action].flat();
