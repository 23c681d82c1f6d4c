/** The construct: one Parkway environment, in anybody's stack. */
import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { Table } from "aws-cdk-lib/aws-dynamodb";
import type { EventBus } from "aws-cdk-lib/aws-events";
import type { Key } from "aws-cdk-lib/aws-kms";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import { deploymentOf } from "../lib/config/index.js";
import { createAlarms } from "./alarms.js";
import { functionAssets } from "./assets.js";
import { checkEntrances } from "./check-entrances.js";
import { createDashboard } from "./dashboard.js";
import { createQueues, type Queues } from "./doorbell.js";
import { createKey } from "./encryption.js";
import { createBus, createEventRules, createWakeRule } from "./events.js";
import { createBucket } from "./files.js";
import { createFunctions, type Functions } from "./functions.js";
import { createEntrances, type Entrances, type Urls } from "./http.js";
import { accept } from "./nag.js";
import { pin } from "./names.js";
import { checkProps, type ParkwayProps } from "./props.js";
import { createSchedules } from "./schedules.js";
import { createTable } from "./table.js";

/** The most that Lambda gives an invocation. */
const LONGEST_TURN = Duration.minutes(15);

/**
 * Everything that an environment needs: table, bucket, queues, bus, functions, HTTP APIs, rules, schedules, alarms.
 *
 * Nothing has a fixed name, so several stand side by side in an account (F-83). What holds data has a logical id made of the
 * construct's own id: give it another one, and CloudFormation makes new data and, where it is not retained, deletes the old.
 *
 * @example
 * const config = await loadConfigFile(workspace);
 * const parkway = new Parkway(stack, "Parkway", {
 *   environment: "dev",
 *   workspace,
 *   config,
 *   retention: { removal: "destroy", logDays: 7 },
 *   credentials: ["api-key"],
 * });
 * parkway.bus.grantPutEventsTo(shop);
 *
 * @throws {SettingError} for a setting that is refused, see `ParkwayProps`
 */
export class Parkway extends Construct {
  readonly key: Key;
  readonly table: Table;
  readonly bucket: Bucket;
  /** The doorbell. */
  readonly queue: Queue;
  readonly queues: Queues;
  /** Carries lifecycle events, and whatever else is put on it. */
  readonly bus: EventBus;
  /** What hashes of API keys are made with; its value never leaves it and the `api` function. */
  readonly apiKeysSecret: Secret;
  readonly functions: Functions;
  readonly entrances: Entrances;
  readonly urls: Urls;

  constructor(scope: Construct, id: string, props: ParkwayProps) {
    super(scope, id);
    const deployment = deploymentOf(props.config);
    checkProps(props);
    checkEntrances(deployment, props.workspace);
    const { removal, logDays } = props.retention;
    const { events, schedules } = deployment;
    const turnTimeout = props.turns?.timeout ?? LONGEST_TURN;

    const key = createKey(this, removal);
    this.key = key;
    this.table = createTable(this, { key, removal });
    this.bucket = createBucket(this, { key, removal });
    this.queues = createQueues(this, { key, turnTimeout });
    this.queue = this.queues.doorbell;
    this.bus = createBus(this);
    this.apiKeysSecret = createApiKeysSecret(this, { key, removal });
    this.pinNames();

    const { table, bucket, queues, bus, apiKeysSecret } = this;
    const resources = { key, table, bucket, queues, bus, apiKeysSecret };
    const assets = functionAssets(this, props);
    this.functions = createFunctions(this, { props, deployment, assets, turnTimeout, resources });

    const logs = new LogGroup(this, "AccessLogs", { retention: logDays, removalPolicy: removalPolicyOf(removal) });
    this.entrances = createEntrances(this, { props, functions: this.functions, logs });
    this.urls = this.entrances.urls;

    const { undelivered } = queues;
    createEventRules(this, { events, bus, target: this.functions.trigger, undelivered });
    createSchedules(this, { schedules, target: this.functions.trigger, undelivered, key });
    createWakeRule(this, { target: this.functions.wake, undelivered });

    const watched = {
      environment: props.environment,
      queues,
      functions: this.functions,
      entrances: this.entrances,
      table,
      turnTimeout,
    };
    const alarms = createAlarms(this, { watched, settings: props.alarms, key });
    createDashboard(this, { watched, alarms });
  }

  private pinNames(): void {
    pin(this, "Key", this.key);
    pin(this, "Table", this.table);
    pin(this, "Bucket", this.bucket);
    pin(this, "Doorbell", this.queues.doorbell);
    pin(this, "DoorbellDeadLetters", this.queues.doorbellDeadLetters);
    pin(this, "Undelivered", this.queues.undelivered);
    pin(this, "Bus", this.bus);
    pin(this, "ApiKeysSecret", this.apiKeysSecret);
  }
}

function createApiKeysSecret(scope: Construct, { key, removal }: { key: Key; removal: "retain" | "destroy" }): Secret {
  const secret = new Secret(scope, "ApiKeysSecret", {
    description: "Parkway: hashes of API keys are made with this",
    encryptionKey: key,
    generateSecretString: { passwordLength: 64, excludePunctuation: true },
    removalPolicy: removalPolicyOf(removal),
  });
  accept(secret, "SMG4", "Keys are stored as hashes made with it: rotating it by a timer would end every key at once.");
  return secret;
}

function removalPolicyOf(removal: "retain" | "destroy"): RemovalPolicy {
  return removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY;
}
