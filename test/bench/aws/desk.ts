/** The common work as a deployment does it: accepted by one client, worked off under a lease, all over the wire. */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createAgent, type GovernedAgent, type GovernedAgentParams } from "../../../lib/agent.js";
import { createDynamoSessionStore } from "../../../lib/stores/dynamodb/index.js";
import { createEventBridgeBus } from "../../../lib/stores/eventbridge/index.js";
import { createS3FileStore, createS3LargeValues } from "../../../lib/stores/s3/index.js";
import { createSqsDoorbell } from "../../../lib/stores/sqs/index.js";
import { deskParams, workspace } from "../desk.js";
import { ANSWER, QUESTION } from "../work.js";
import type { Meter } from "./meter.js";
import { BUCKET, BUS } from "./names.js";
import type { Services } from "./services.js";

export interface AwsDesk {
  /** What accepts. */
  entrance: GovernedAgent;
  /** What works. */
  agent: GovernedAgent;
  client: DynamoDBClient;
  /** One message accepted, and its turn worked off. */
  turn(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

export interface AwsDeskOptions extends Partial<GovernedAgentParams> {
  table: string;
  meter?: Meter;
  /** Rings through SQS and tells EventBridge; without it neither is there. */
  told?: boolean;
  files?: Record<string, string>;
}

export async function openAwsDesk(services: Services, url: string, options: AwsDeskOptions): Promise<AwsDesk> {
  const { table, meter, told = false, files, host, ...params } = options;
  const watch: Meter["watch"] = (service, client) => meter?.watch(service, client) ?? client;
  const client = watch("dynamodb", services.dynamoDb.client());
  const s3 = watch("s3", services.s3());
  const largeValues = createS3LargeValues({ bucket: BUCKET, prefix: table, client: s3 });
  // An entrance and the worker are two processes: what the one's store has seen, the other's has not.
  const [atEntrance, atWork] = [1, 2].map(() => createDynamoSessionStore({ table, client, largeValues }));
  const ports = told
    ? {
        doorbell: createSqsDoorbell({ queueUrl: services.queueUrl, client: watch("sqs", services.sqs()) }),
        bus: createEventBridgeBus({ busName: BUS, client: watch("events", services.events()) }),
      }
    : {};
  const shared = {
    ...deskParams(url, { rootDir: workspace(files) }),
    ...params,
    host: { ...ports, ...host },
  };
  const stored = createS3FileStore({ bucket: BUCKET, prefix: table, client: s3 });
  const entrance = await createAgent({ ...shared, stores: { sessions: atEntrance!, files: stored } });
  const agent = await createAgent({ ...shared, stores: { sessions: atWork!, files: stored } });
  return {
    entrance,
    agent,
    client,
    async turn(sessionId) {
      const { arrivalId } = await entrance.accept(sessionId, { kind: "turn", message: QUESTION });
      const { settled } = await agent.work(sessionId);
      const outcome = settled.find((candidate) => candidate.arrivalId === arrivalId)?.outcome;
      if (outcome?.reply !== ANSWER) throw new Error(`The turn ended as ${outcome?.kind}: ${outcome?.reply}`);
    },
    async close() {
      await Promise.all([entrance.close(), agent.close()]);
    },
  };
}
