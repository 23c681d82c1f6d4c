/** A deployment on one machine (S-103). */
export { type BusEvent, createLocalBus, type LocalBus } from "./bus.js";
export { createLocalDoorbell, type LocalDoorbell } from "./doorbell.js";
export { DeploymentError, LocalSecretError, PortInUseError } from "./errors.js";
export { type LocalHost, type LocalParams, startLocal } from "./host.js";
export type { Notice } from "./notices.js";
export { matchesPattern } from "./pattern.js";
export { nextFiring } from "./schedule.js";
export { createLocalSecrets, localVariable } from "./secrets.js";
