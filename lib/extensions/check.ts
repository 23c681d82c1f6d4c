/** The shapes of a host's extensions, checked before anything is read or written (A-5, A-16, A-18, H-10). */
import { isSlug } from "../spec/index.js";
import { InvalidCompletionError, InvalidGuardrailError } from "./errors.js";
import type { AgentSpec, ExtensionOptions } from "./types.js";

/**
 * @param options.workflow - the agent's own workflow, if it has one
 * @throws {InvalidGuardrailError} @throws {InvalidCompletionError}
 * @throws {TypeError} for any other shape, a key of `agents` that is no slug, and a gate that is given twice
 */
export function checkExtensions(options: ExtensionOptions & { workflow?: string }): void {
  checkSpec(options, "");
  const { agents = {}, workflow } = options;
  if (!isObject(agents)) throw new TypeError("`agents` must be an object by workflow slug.");
  for (const [slug, spec] of Object.entries(agents)) {
    if (!isSlug(slug))
      throw new TypeError(`\`agents\` has the key ${JSON.stringify(slug)}, which is no workflow slug.`);
    if (!isObject(spec)) throw new TypeError(`\`agents.${slug}\` must be an object.`);
    const unknown = Object.keys(spec).find((key) => !SPEC_KEYS.has(key));
    if (unknown !== undefined) throw new TypeError(`\`agents.${slug}\` has no option "${unknown}".`);
    checkSpec(spec, `agents.${slug}.`);
  }
  if (options.completion !== undefined && workflow !== undefined && own(agents, workflow)?.completion !== undefined) {
    throw new TypeError(
      `\`completion\` is short for \`agents.${workflow}.completion\`, and both are given; leave one of them out.`,
    );
  }
  checkMiddleware(options.middleware);
  checkLimits(options.limits);
  checkCompaction(options.compaction);
}

/** every key is the slug of a workflow that is there: what a misspelt one should have restrained would go free. @throws {TypeError} */
export function checkAgentSlugs({ agents = {} }: ExtensionOptions, workflows: readonly string[]): void {
  const unknown = Object.keys(agents).find((slug) => !workflows.includes(slug));
  if (unknown === undefined) return;
  const known = workflows.join(", ") || "none";
  throw new TypeError(
    `\`agents\` has the key "${unknown}", and there is no workflow of that slug; there are: ${known}.`,
  );
}

const SPEC_KEYS: ReadonlySet<string> = new Set<keyof AgentSpec>([
  "guardrails",
  "completion",
  "hooks",
  "onMetric",
  "model",
]);
const HOOKS = ["beforeLLM", "afterLLM", "beforeTool", "afterTool"];

function checkSpec({ guardrails = [], completion, hooks, onMetric, ...rest }: AgentSpec, at: string): void {
  if (!Array.isArray(guardrails)) throw new TypeError(`\`${at}guardrails\` must be a list of functions.`);
  const index = guardrails.findIndex((guardrail) => typeof guardrail !== "function");
  if (index >= 0) throw new InvalidGuardrailError(index, `${at}guardrails`);
  if (completion !== undefined) checkCompletion(completion, `${at}completion`);
  if (hooks !== undefined) checkHooks(hooks, `${at}hooks`);
  if (onMetric !== undefined && typeof onMetric !== "function") {
    throw new TypeError(`\`${at}onMetric\` must be a function.`);
  }
  if (at !== "" && rest.model !== undefined && (typeof rest.model !== "string" || rest.model.trim() === "")) {
    throw new TypeError(`\`${at}model\` must be the id of a model.`);
  }
}

function checkCompletion(completion: unknown, at: string): void {
  if (!isObject(completion)) throw new InvalidCompletionError(at, "must be an object with `verify` and `maxAttempts`");
  const { verify, maxAttempts } = completion;
  if (typeof verify !== "function") throw new InvalidCompletionError(at, "needs `verify`, a function of the run");
  if (typeof maxAttempts !== "number" || !Number.isInteger(maxAttempts) || maxAttempts < 1) {
    const found = typeof maxAttempts === "number" ? String(maxAttempts) : JSON.stringify(maxAttempts);
    throw new InvalidCompletionError(at, `needs \`maxAttempts\`, a whole number from 1; got ${found ?? "nothing"}`);
  }
}

function checkHooks(hooks: unknown, at: string): void {
  if (!isObject(hooks)) throw new TypeError(`\`${at}\` must be an object of functions.`);
  for (const [name, hook] of Object.entries(hooks)) {
    if (!HOOKS.includes(name)) throw new TypeError(`\`${at}\` has no hook "${name}"; there are: ${HOOKS.join(", ")}.`);
    if (hook !== undefined && typeof hook !== "function") throw new TypeError(`\`${at}.${name}\` must be a function.`);
  }
}

function checkMiddleware(middleware: unknown): void {
  if (middleware === undefined) return;
  if (!Array.isArray(middleware)) throw new TypeError("`middleware` must be a list.");
  for (const [index, entry] of middleware.entries()) {
    const at = `middleware[${index}]`;
    if (!isObject(entry) || typeof entry.name !== "string") {
      throw new TypeError(`\`${at}\` must be an object with a \`name\`.`);
    }
    for (const wrap of ["wrapModelCall", "wrapToolCall"]) {
      if (entry[wrap] !== undefined && typeof entry[wrap] !== "function") {
        throw new TypeError(`\`${at}.${wrap}\` must be a function.`);
      }
    }
  }
}

function checkLimits(limits: unknown): void {
  if (limits === undefined) return;
  if (!isObject(limits)) throw new TypeError("`limits` must be an object.");
  for (const [name, value] of Object.entries(limits)) {
    if (!LIMITS.includes(name)) throw new TypeError(`\`limits\` has no "${name}"; there are: ${LIMITS.join(", ")}.`);
    if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 1)) {
      throw new TypeError(`\`limits.${name}\` must be a whole number from 1.`);
    }
  }
}

function checkCompaction(compaction: unknown): void {
  if (compaction === undefined) return;
  if (!isObject(compaction)) throw new TypeError("`compaction` must be an object.");
  for (const [name, value] of Object.entries(compaction)) {
    const check = COMPACTION.get(name);
    const known = [...COMPACTION.keys()].join(", ");
    if (!check) throw new TypeError(`\`compaction\` has no option "${name}"; there are: ${known}.`);
    if (value !== undefined && !check.is(value)) throw new TypeError(`\`compaction.${name}\` must be ${check.what}.`);
  }
  for (const name of ["maxTokens", "summarize"]) {
    if (compaction[name] === undefined) throw new TypeError(`\`compaction\` needs \`${name}\`.`);
  }
}

const LIMITS = ["maxTokensPerTurn", "maxToolCallsPerTurn"];
const isFunction = { is: (value: unknown) => typeof value === "function", what: "a function" };
const isSize = { is: (value: unknown) => Number.isFinite(value) && (value as number) > 0, what: "a number above 0" };
const COMPACTION = new Map<string, { is(value: unknown): boolean; what: string }>([
  ["maxTokens", isSize],
  ["keepTail", { is: (value) => value === 0 || isSize.is(value), what: "a number from 0" }],
  ["summarize", isFunction],
  ["countTokens", isFunction],
  ["flushToMemory", { is: (value) => typeof value === "string" && value !== "", what: "the name of a mount" }],
]);

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function own(agents: Record<string, AgentSpec>, slug: string): AgentSpec | undefined {
  return Object.hasOwn(agents, slug) ? agents[slug] : undefined;
}
