/** `${NAME}` in configured texts: a variable of the environment. */

/** The text with its variables, and the values that were put in; or the first name that is not set. */
export type ExpandedText = { ok: true; text: string; values: string[] } | { ok: false; unset: string };

export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): ExpandedText {
  const values: string[] = [];
  let unset: string | null = null;
  const expanded = text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) unset ??= name;
    else values.push(value);
    return value ?? "";
  });
  return unset === null ? { ok: true, text: expanded, values } : { ok: false, unset };
}
