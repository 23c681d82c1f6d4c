/** The services behind the wire, started together. */
import type { BenchClock } from "../bench-clock.js";
import { type LocalEventBridge, startEventBridge } from "../eventbridge.js";
import type { Envelope } from "../events/rules.js";
import { type LocalS3, startS3 } from "../s3.js";
import { type LocalParameters, type LocalSecrets, startParameters, startSecrets } from "../secret-services.js";
import { type LocalSqs, startSqs } from "../sqs.js";

export interface Engines {
  s3: LocalS3;
  sqs: LocalSqs;
  events: LocalEventBridge;
  ssm: LocalParameters;
  secrets: LocalSecrets;
  /** Addresses by the service's name in a signature. */
  endpoints: Record<string, string>;
  stop(): Promise<void>;
}

export async function startEngines(options: {
  clock: BenchClock;
  dynamoDbEndpoint: string;
  onEvent(bus: string, event: Envelope): void;
}): Promise<Engines> {
  const [s3, sqs, events, ssm, secrets] = await Promise.all([
    startS3(),
    startSqs(options.clock.now),
    startEventBridge(options.onEvent),
    startParameters(),
    startSecrets(),
  ]);
  return {
    ...{ s3, sqs, events, ssm, secrets },
    endpoints: {
      dynamodb: options.dynamoDbEndpoint,
      s3: s3.endpoint,
      sqs: sqs.endpoint,
      events: events.endpoint,
      ssm: ssm.endpoint,
      secretsmanager: secrets.endpoint,
    },
    async stop() {
      await Promise.all([s3, sqs, events, ssm, secrets].map((engine) => engine.stop()));
    },
  };
}

/** The SDK's own variables, by service: all lead to the one wire. */
export function endpointVariables(endpoint: string): Record<string, string> {
  const services = ["DYNAMODB", "S3", "SQS", "EVENTBRIDGE", "SSM", "SECRETS_MANAGER"];
  return Object.fromEntries(services.map((service) => [`AWS_ENDPOINT_URL_${service}`, endpoint]));
}
