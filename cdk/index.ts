/** Parkway in anybody's CDK app. */
export { loadConfigFile } from "../lib/config/index.js";
export { Parkway } from "./parkway.js";
export { FUNCTION_NAMES, type FunctionName, PERMISSIONS, type Permission, type Place } from "./permissions.js";
export type { AlarmSettings, CredentialKind, Domain, ParkwayProps, Retention, TurnSettings } from "./props.js";
