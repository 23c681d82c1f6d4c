/** What a deployment adds to its workflows: the default export of `parkway.config.ts` (C-73). */
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ToolPaths } from "./kernel/types.js";
import type { ModelFactory, PricingTable } from "./models/index.js";

export interface ParkwayConfig {
  /** Host tools: LangChain structured tools, or what `toolsFromMap` makes. */
  tools?: readonly StructuredToolInterface[];
  /** Builds the chat model of a role; without it the `ARCHMAX_*` environment decides. */
  modelFactory?: ModelFactory;
  /** Host tools that every agent state has. */
  essentialTools?: readonly string[];
  /** Which arguments of a host tool are paths, so that path rules bind them. */
  toolPaths?: Readonly<Record<string, ToolPaths>>;
  /** US dollars per million tokens, by model id. */
  pricing?: PricingTable;
}

const KEYS: ReadonlySet<string> = new Set<keyof ParkwayConfig>([
  "tools",
  "modelFactory",
  "essentialTools",
  "toolPaths",
  "pricing",
]);

/**
 * Types a configuration; returns it unchanged.
 *
 * @example
 * export default defineConfig({ pricing: { default: { input: 3, output: 15 } } });
 */
export function defineConfig(config: ParkwayConfig): ParkwayConfig {
  return config;
}

/**
 * Checks a configuration that was loaded from a file.
 *
 * @throws {TypeError} naming the key that is unknown or has the wrong shape
 */
export function parseConfig(value: unknown): ParkwayConfig {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new TypeError("its default export must be an object, as defineConfig returns it");
  }
  const unknown = Object.keys(value).filter((key) => !KEYS.has(key));
  if (unknown.length > 0) {
    throw new TypeError(
      `it has the unknown key ${unknown.map((key) => `"${key}"`).join(", ")}; known are ${[...KEYS].join(", ")}`,
    );
  }
  const config = value as Record<keyof ParkwayConfig, unknown>;
  for (const key of ["tools", "essentialTools"] as const) {
    if (config[key] !== undefined && !Array.isArray(config[key])) throw new TypeError(`"${key}" must be a list`);
  }
  for (const key of ["toolPaths", "pricing"] as const) {
    if (config[key] !== undefined && !isRecord(config[key])) throw new TypeError(`"${key}" must be an object`);
  }
  if (config.modelFactory !== undefined && typeof config.modelFactory !== "function") {
    throw new TypeError(`"modelFactory" must be a function`);
  }
  return value as ParkwayConfig;
}

function isRecord(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
