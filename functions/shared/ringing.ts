/** The stores of a function that rings the doorbell at every invocation. */
import { SQSClient } from "@aws-sdk/client-sqs";
import { clientSettings } from "../../lib/stores/aws-client.js";
import type { Environment } from "./environment.js";
import { type DeployedStores, openStores } from "./stores.js";

/** @throws {MissingVariablesError} */
export function openRingingStores(env: Environment): DeployedStores {
  return openStores(env, { sqs: new SQSClient(clientSettings({})) });
}
