/** Arguments of the built-in tools: a zod schema gives the JSON Schema the model sees and the check of what it sent. */
import { z } from "zod";

export type ParsedArguments<T> = { ok: true; args: T } | { ok: false; problems: string[] };

/** The JSON Schema of a tool's arguments, as a model is given it. */
export function parametersOf(schema: z.ZodObject): Record<string, unknown> {
  const { $schema: _, ...parameters } = z.toJSONSchema(schema, { io: "input" });
  return parameters;
}

/**
 * Checks arguments against the schema. A null in place of an optional argument counts as leaving it out, as models
 * write it; unknown arguments are dropped. Problems are sentences that name the field.
 */
export function parseArguments<S extends z.ZodObject>(
  schema: S,
  args: Record<string, unknown>,
): ParsedArguments<z.output<S>> {
  const given = Object.fromEntries(
    Object.entries(args).filter(([name, value]) => value !== null || !isOptional(schema, name)),
  );
  const parsed = schema.safeParse(given);
  return parsed.success ? { ok: true, args: parsed.data } : { ok: false, problems: zodProblems(parsed.error.issues) };
}

/** One sentence an issue: `edits.0.text`: what is wrong. */
export function zodProblems(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string[] {
  return issues.map(({ path, message }) => {
    const field = path.length > 0 ? `\`${path.map(String).join(".")}\`` : "the arguments";
    return `${field}: ${message}.`;
  });
}

/** Text that is not blank. */
export function filledText(): z.ZodType<string, string> {
  return z.string().refine((text) => text.trim() !== "", "must not be blank");
}

function isOptional(schema: z.ZodObject, name: string): boolean {
  const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
  return field !== undefined && z.safeParse(field, undefined).success;
}
