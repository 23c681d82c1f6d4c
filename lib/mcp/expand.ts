/** `${NAME}` in header and environment values, and what of the result must never be shown. */
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
    const whole = value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = Object.hasOwn(env, name) ? env[name] : undefined;
      if (found === undefined)
        throw new McpServerError(server, `needs the environment variable ${name}, which is not set`);
      secrets.push(found);
      return found;
    });
    secrets.push(whole);
    return [key, whole] as const;
  });
  // The longest first, so that cutting out a part does not leave the rest of a whole standing.
  return { values: Object.fromEntries(expanded), secrets: secrets.sort((a, b) => b.length - a.length) };
}
