/** What kind of value each option of an agent is; what lies in it is its own reader's to check (H-8). */

interface Shape {
  is(value: unknown): boolean;
  what: string;
}

const anObject: Shape = {
  is: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  what: "an object",
};
const aFunction: Shape = { is: (value) => typeof value === "function", what: "a function" };
const aText: Shape = { is: (value) => typeof value === "string", what: "a text" };
const listOf = ({ is, what }: Shape): Shape => ({
  is: (value) => Array.isArray(value) && value.every(is),
  what: `a list, each item ${what}`,
});
const objectOf = (shapes: Readonly<Record<string, Shape>>, what: string): Shape => ({
  is: (value) =>
    anObject.is(value) &&
    Object.entries(shapes).every(([key, { is }]) => {
      const inner = (value as Record<string, unknown>)[key];
      return inner === undefined || is(inner);
    }),
  what,
});

/** Chapter A's options, `images`, `mcp`, `retry`, `clock` and `sessionPath` have checks, and errors, of their own. */
const SHAPES: Readonly<Record<string, Shape>> = {
  workflow: { is: (value) => value === false || aText.is(value), what: "a slug, or false" },
  workspace: objectOf(
    { rootDir: aText, mounts: anObject },
    "an object: { rootDir?: text, mounts?: object, sessionStore? }",
  ),
  backend: objectOf({ readRaw: aFunction }, "a backend"),
  authoring: objectOf({ readRaw: aFunction }, "a backend"),
  skills: listOf(aText),
  stores: anObject,
  tools: listOf(anObject),
  essentialTools: listOf(aText),
  toolPaths: anObject,
  toolEffects: anObject,
  model: anObject,
  modelFactory: aFunction,
  systemPrompt: aText,
  trigger: {
    is: (value) => anObject.is(value) && aText.is((value as { id?: unknown }).id),
    what: "an object: { id: text }",
  },
  variables: anObject,
  policyRules: listOf(aFunction),
  promptCache: objectOf(
    {
      enabled: { is: (value) => typeof value === "boolean", what: "" },
      ttl: { is: (value) => value === "5m" || value === "1h", what: "" },
    },
    'an object: { enabled?: true or false, ttl?: "5m" or "1h" }',
  ),
  pricing: anObject,
  onEvent: aFunction,
  sandboxRuntime: anObject,
  env: anObject,
  store: anObject,
  name: aText,
  description: aText,
  host: anObject,
};

/** @throws {TypeError} naming the first option that is of the wrong kind and what it must be, never its value */
export function checkOptionShapes(params: object): void {
  const given = params as Readonly<Record<string, unknown>>;
  for (const [option, { is, what }] of Object.entries(SHAPES)) {
    if (given[option] !== undefined && !is(given[option])) throw new TypeError(`\`${option}\` must be ${what}.`);
  }
}
