/** What an environment decides, and what is refused before anything is synthesized. */
import type { Duration } from "aws-cdk-lib";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Deployment } from "../lib/config/index.js";
import { isScope, SCOPES } from "../lib/http/index.js";
import { SettingError } from "./errors.js";
import { isReference } from "./references.js";

/** How callers of the HTTP API prove who they are (N-36): by an API key, or by signing as an IAM identity. */
export type CredentialKind = "api-key" | "iam";

/** What an environment decides; what would deploy and not work is refused when the construct is made. */
export interface ParkwayProps {
  /** Its name in API keys (`pw_<environment>_…`), metrics and logs: lower-case letters, digits and dashes. */
  environment: string;
  /** The root of the authored workspace: `workflows/`, `skills/`, `AGENTS.md`, `parkway.config.ts`. */
  workspace: string;
  /** Webhooks, event rules and schedules: what `parkway.config.ts` exports, or that part of it. */
  config: Partial<Deployment>;
  /** A folder with one prebuilt folder per function. Built from the workspace when not given. */
  assets?: string;
  retention: Retention;
  turns?: TurnSettings;
  /** How callers of the HTTP API prove who they are (N-36). At least one; webhooks have their signatures. */
  credentials: readonly CredentialKind[];
  /**
   * Scopes of SigV4 callers by pattern of their ARN, in which `*` stands for any text. Needed with credentials `iam`. Callers
   * with a role are `arn:aws:sts::<account>:assumed-role/<role>/<session>`, and choose the last part themselves.
   */
  iamScopes?: Readonly<Record<string, readonly string[]>>;
  /** Ids of the models that callers of the API may choose for their turns, without commas; none unless given. */
  models?: readonly string[];
  /** Without it the API has the address that API Gateway gives it. */
  domain?: Domain;
  /** Requests a second and at once, of each HTTP API; 100 and 200 unless given. */
  throttle?: { ratePerSecond: number; burst: number };
  alarms?: AlarmSettings;
  /** The model's settings, `ARCHMAX_*` (H-125). Secrets are references, `ssm:<name>` or `secret:<arn>[#jsonKey]`. */
  modelEnv?: Readonly<Record<string, string>>;
  /** Traces of every function by X-Ray; off unless given. */
  tracing?: "off" | "on";
}

/** What outlives the stack, and for how many days things are kept. */
export interface Retention {
  /**
   * `retain`: table, bucket, key and logs outlive the stack, and the table is protected from deletion and has its last 35
   * days recoverable. `destroy`: they go with the stack, for environments that are thrown away.
   */
  removal: "retain" | "destroy";
  /** Days that logs are kept, one of the numbers CloudWatch Logs knows. */
  logDays: number;
  /** Days after which a finished session expires (S-81); never unless given. */
  finishedDays?: number;
  /** Days after which an open session expires; never unless given. */
  openDays?: number;
}

/** The size of the function that works on turns, and how many run at a time. */
export interface TurnSettings {
  /** 1,024 unless given. Processor time grows with it; 1,769 is one processor. */
  memoryMb?: number;
  /** Turns at a time, from 2 to 1,000; 50 unless given. What waits, waits in the queue. */
  maxConcurrency?: number;
  /** Of one invocation; a turn may take several. 15 minutes, the most there is, unless given. */
  timeout?: Duration;
}

/** A name of your own for the HTTP API. */
export interface Domain {
  /** Such as `parkway.example.com`. */
  name: string;
  /** In AWS Certificate Manager, in the stack's region. */
  certificateArn: string;
  /** Where the name is entered; without it that is left to you. */
  hostedZone?: { id: string; name: string };
}

/** Who is told when an alarm goes off; nobody unless given. */
export interface AlarmSettings {
  /** An SNS topic that alarms go to. */
  topicArn?: string;
  /** Addresses that alarms are sent to, through a topic of the stack; each must confirm once. */
  emails?: readonly string[];
}

/** All that the service takes but "for ever". */
const LOG_DAYS: ReadonlySet<number> = new Set(
  Object.values(RetentionDays).filter((days) => typeof days === "number" && days !== RetentionDays.INFINITE),
) as ReadonlySet<number>;
const ENVIRONMENT = /^[a-z][a-z0-9-]{0,19}$/;
const MODEL_VARIABLE = /^ARCHMAX_[A-Z0-9_]+$/;
const SECRET_VARIABLE = /_(?:KEY|SECRET|TOKEN|PASSWORD)$/;

/**
 * Refuses what would deploy and not work, or work for too many.
 *
 * @throws {SettingError} naming the setting and what it must be
 */
export function checkProps({
  environment,
  retention,
  credentials,
  iamScopes = {},
  modelEnv = {},
  models = [],
  turns = {},
}: ParkwayProps): void {
  if (!ENVIRONMENT.test(environment)) {
    throw new SettingError(`environment is "${environment}"; it must be 1 to 20 lower-case letters, digits and dashes`);
  }
  if (credentials.length === 0) {
    throw new SettingError(
      'credentials is empty; name at least one of "api-key" and "iam", or nobody can call the API',
    );
  }
  if (credentials.includes("iam") && Object.keys(iamScopes).length === 0) {
    throw new SettingError('credentials has "iam" but iamScopes is empty; give scopes to at least one pattern of ARNs');
  }
  // The gateway tells of a caller by its session of the role, not by the role.
  const role = Object.keys(iamScopes).find((pattern) => /^arn:[^:]*:iam::[^:]*:role\//.test(pattern));
  if (role !== undefined) {
    throw new SettingError(
      `iamScopes names the role "${role}"; its callers appear as arn:aws:sts::<account>:assumed-role/<role>/*`,
    );
  }
  const unknown = Object.values(iamScopes)
    .flat()
    .find((scope) => !isScope(scope));
  if (unknown !== undefined) {
    throw new SettingError(`iamScopes has "${unknown}"; a scope is one of ${SCOPES.join(", ")}`);
  }
  if (!LOG_DAYS.has(retention.logDays)) {
    const choices = [...LOG_DAYS].join(", ");
    throw new SettingError(`retention.logDays is ${retention.logDays}; CloudWatch Logs takes one of ${choices}`);
  }
  for (const name of ["finishedDays", "openDays"] as const) {
    const days = retention[name] ?? 1;
    if (!Number.isInteger(days) || days < 1) throw new SettingError(`retention.${name} is ${days}; give whole days`);
  }
  const { maxConcurrency = 50 } = turns;
  if (maxConcurrency < 2 || maxConcurrency > 1_000) {
    throw new SettingError(`turns.maxConcurrency is ${maxConcurrency}; SQS takes 2 to 1000`);
  }
  const unlisted = models.find((id) => id.trim() === "" || id.includes(","));
  if (unlisted !== undefined) throw new SettingError(`models has "${unlisted}"; give ids of models, without commas`);
  for (const [name, value] of Object.entries(modelEnv)) {
    if (!MODEL_VARIABLE.test(name)) throw new SettingError(`modelEnv has "${name}"; its names begin with ARCHMAX_`);
    if (SECRET_VARIABLE.test(name) && !isReference(value)) {
      throw new SettingError(
        `modelEnv.${name} must be a reference, "ssm:<name>" or "secret:<arn>[#jsonKey]", not a value`,
      );
    }
  }
}
