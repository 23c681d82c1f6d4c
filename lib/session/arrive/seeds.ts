/** What can be wrong with the variables an input brings, whatever the session is. */
import { isVariableName, titleIssue } from "../../spec/index.js";
import { InvalidTitleError, InvalidVariableNameError, type ParkwayError } from "../errors.js";

/** checked before anything is written. */
export function seedProblem(seeds: Readonly<Record<string, unknown>>, where = "variables"): ParkwayError | null {
  const named = deliveryProblem(seeds, where);
  if (named) return named;
  const issue = Object.hasOwn(seeds, "title") ? titleIssue(seeds.title) : null;
  return issue ? new InvalidTitleError(issue) : null;
}

/** a malformed title does not refuse a delivery. */
export function deliveryProblem(
  variables: Readonly<Record<string, unknown>>,
  where = "variables",
): ParkwayError | null {
  for (const name of Object.keys(variables)) {
    if (!isVariableName(name) || name === "trigger") return new InvalidVariableNameError(name, where);
  }
  return null;
}
