/** What clients of the stand-ins are made with. */
import { ConfiguredRetryStrategy } from "@smithy/core/retry";

/** A client's own retries without their pauses. */
export function localClientOptions(endpoint: string) {
  return {
    endpoint,
    region: "eu-central-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    retryStrategy: new ConfiguredRetryStrategy(4, () => 0),
  };
}
