export { checkDeployment, type DeploymentProblem, readTriggers, type TriggerTable } from "./check-deployment.js";
export { agentOptions, defineConfig, mcpOption, type ParkwayConfig } from "./config.js";
export type {
  Deployment,
  EventRuleConfig,
  ScheduleConfig,
  WebhookConfig,
  WebhookVerification,
} from "./deployment.js";
export { deploymentOf, localReferences, secretReferences } from "./deployment-of.js";
export { ConfigFileError, oneLineOf } from "./errors.js";
export { type PatternProblem, patternProblem } from "./event-pattern.js";
export { loadConfigFile } from "./load-file.js";
export { parseConfig } from "./parse.js";
export { isTimeZone, type ParsedSchedule, parseSchedule, type ScheduleExpression } from "./schedule-expression.js";
export { isSecretReference, type SecretKind, secretKind } from "./secret-reference.js";
