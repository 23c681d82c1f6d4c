/** `${NAME}` in header and environment values, and what of the result must never be shown. */
import { expandVariables } from "../tools/index.js";
import { McpServerError } from "./errors.js";

export interface Expanded {
  values: Record<string, string>;
  /** The values, and what was put into them. */
  secrets: string[];
}

/** @throws {McpServerError} naming the variable that is not set */
export function expandValues(
  server: string,
  values: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string | undefined>>,
): Expanded {
  const secrets: string[] = [];
  const expanded = Object.entries(values).map(([key, value]) => {
    const whole = expandVariables(value, env);
    if (!whole.ok) throw new McpServerError(server, `needs the environment variable ${whole.unset}, which is not set`);
    secrets.push(...whole.values, whole.text);
    return [key, whole.text] as const;
  });
  // The longest first, so that cutting out a part does not leave the rest of a whole standing.
  return { values: Object.fromEntries(expanded), secrets: secrets.sort((a, b) => b.length - a.length) };
}
