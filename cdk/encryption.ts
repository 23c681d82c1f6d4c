/** The environment's own key: for its table, objects, queues, secrets and alarm topic. */
import { RemovalPolicy, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";

/** Using a key to write: the service makes a data key under it, and reads that again. */
const DATA_KEY_ACTIONS = ["kms:Decrypt", "kms:GenerateDataKey"];

/**
 * Roles use it by their own policies. Services that write to a queue or a topic in their own name have no role, so they
 * stand in the key's policy. Logs and the bus keep AWS's own keys: neither holds content (N-41, S-100).
 */
export function createKey(scope: Construct, removal: "retain" | "destroy"): Key {
  const key = new Key(scope, "Key", {
    description: "Parkway: sessions, files, queues and secrets",
    enableKeyRotation: true,
    removalPolicy: removal === "retain" ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  // EventBridge says neither account nor rule when it uses a key (SNS developer guide, "Managing encryption keys"): under
  // a condition on them it would drop what it cannot deliver, and nobody would know. The queue's policy names the rules.
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal("events.amazonaws.com")],
      actions: DATA_KEY_ACTIONS,
      resources: ["*"],
    }),
  );
  return key;
}

/** Lets alarms of this account write to a topic that the key encrypts. */
export function allowAlarms(key: IKey): void {
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal("cloudwatch.amazonaws.com")],
      actions: DATA_KEY_ACTIONS,
      resources: ["*"],
      conditions: { StringEquals: { "aws:SourceAccount": Stack.of(key).account } },
    }),
  );
}
