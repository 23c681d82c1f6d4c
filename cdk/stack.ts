/** The stack of one environment, as this repository's own app deploys it. */
import { CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { Parkway } from "./parkway.js";
import type { ParkwayProps } from "./props.js";

export class ParkwayStack extends Stack {
  readonly parkway: Parkway;

  constructor(scope: Construct, id: string, props: StackProps & { parkway: ParkwayProps }) {
    const { parkway: settings, ...stackProps } = props;
    const isKept = settings.retention.removal === "retain";
    super(scope, id, {
      description: `Parkway, environment ${settings.environment}`,
      terminationProtection: isKept,
      ...stackProps,
    });
    this.parkway = new Parkway(this, "Parkway", settings);

    const { urls, table, bucket, queue, bus, apiKeysSecret } = this.parkway;
    this.output("ApiUrl", urls.api, "Base of /v1, for callers with an API key");
    this.output("IamApiUrl", urls.iam, "Base of /v1, for callers that sign with SigV4");
    this.output("WebhooksUrl", urls.webhooks, "Followed by /<workflow>/<trigger>");
    this.output("TableName", table.tableName);
    this.output("BucketName", bucket.bucketName);
    this.output("QueueUrl", queue.queueUrl);
    this.output("BusName", bus.eventBusName, "Carries lifecycle events");
    this.output("ApiKeysSecretArn", apiKeysSecret.secretArn, "What API keys are hashed with");
  }

  private output(id: string, value: string | undefined, description?: string): void {
    if (value !== undefined) new CfnOutput(this, id, { value, description });
  }
}
