/** Holds webhooks, rules and schedules against the workspace and the cloud, before anything is made of them. */
import {
  checkDeployment,
  type Deployment,
  patternProblem,
  readTriggers,
  secretReferences,
} from "../lib/config/index.js";
import { SettingError } from "./errors.js";
import { isReference } from "./references.js";

/**
 * F-75: a rule without source and type would fire for our own events too. A trigger that is not there would make a dead
 * letter of every event.
 *
 * @throws {SettingError} with all that is wrong, a line each; never the text that stands in place of a reference
 */
export function checkEntrances(deployment: Deployment, workspace: string): void {
  const secrets = secretReferences(deployment)
    .filter(({ reference }) => !isReference(reference))
    .map(({ at }) => ({ at, message: 'must be a reference, "ssm:<name>" or "secret:<arn>[#jsonKey]", not a value' }));
  const patterns = Object.entries(deployment.events).flatMap(([name, { pattern }]) => {
    const problem = patternProblem(pattern);
    return problem ? [{ at: ["events", name, "pattern", ...problem.path].join("."), message: problem.reason }] : [];
  });
  const problems = [...secrets, ...patterns, ...checkDeployment(deployment, readTriggers(workspace))];
  if (problems.length > 0) throw new SettingError(problems.map(({ at, message }) => `${at}: ${message}`).join("\n"));
}
