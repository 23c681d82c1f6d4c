/** One file per environment; a new one is entered here. */
import dev from "./dev.js";
import type { Environment } from "./environment.js";
import prod from "./prod.js";

export const ENVIRONMENTS: Readonly<Record<string, Environment>> = { dev, prod };
export type { Environment };

/** @throws {UnknownEnvironmentError} naming those there are */
export function environmentNamed(
  name: unknown,
  environments: Readonly<Record<string, Environment>>,
): Environment & { environment: string } {
  const found = typeof name === "string" && Object.hasOwn(environments, name) ? environments[name] : undefined;
  if (typeof name === "string" && found !== undefined) return { environment: name, ...found };
  throw new UnknownEnvironmentError(name, Object.keys(environments));
}

export class UnknownEnvironmentError extends Error {
  constructor(name: unknown, known: readonly string[]) {
    const choices = known.map((choice) => `-c env=${choice}`).join(" or ");
    super(
      name === undefined
        ? `Which environment? Give ${choices}.`
        : `There is no environment "${name}"; give ${choices}.`,
    );
  }
}
