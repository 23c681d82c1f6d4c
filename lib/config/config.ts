/** What a deployment adds to its workflows: the default export of `parkway.config.ts` (C-73). */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ExtensionOptions } from "../extensions/types.js";
import type { GovernanceRule, ToolPaths } from "../kernel/types.js";
import type { McpOption } from "../mcp/types.js";
import type { ModelFactory, PricingTable, RetryOptions } from "../models/index.js";
import type { ToolEffectOptions } from "../tools/index.js";
import type { MountTable } from "../workspace/index.js";
import type { EventRuleConfig, ScheduleConfig, WebhookConfig } from "./deployment.js";

/**
 * What `parkway.config.ts` exports: all that a deployment adds to its workflows (C-73). Its extensions (chapter A) bind
 * every workflow's sessions; a top-level `completion` those that run on top.
 */
export interface ParkwayConfig extends ExtensionOptions {
  /** Host tools: LangChain structured tools, or what `toolsFromMap` makes. */
  tools?: readonly StructuredToolInterface[];
  /** Builds the chat model of a role; without it the `ARCHMAX_*` environment decides. */
  modelFactory?: ModelFactory;
  /** How requests of the environment's model are repeated: `retries` after the first, 2; `baseMs` of the first pause, 500. */
  retry?: RetryOptions;
  /** Host tools that every agent state has. */
  essentialTools?: readonly string[];
  /** Which arguments of a host tool are paths, so that path rules bind them. */
  toolPaths?: Readonly<Record<string, ToolPaths>>;
  /** Which calls of a tool may be repeated after a crash; wins over what the tool declares (H-131). */
  toolEffects?: Readonly<Record<string, ToolEffectOptions>>;
  /**
   * MCP servers: a file of the root, or what it would say. What `mcp.json` of the root says unless given, so `{}` for
   * none.
   */
  mcp?: McpOption;
  /** Governance rules of the host: functions that may refuse a call. */
  policyRules?: readonly GovernanceRule[];
  /** US dollars per million tokens, by model id. */
  pricing?: PricingTable;
  /** What is served over each session's own files, in place of `defaultMounts(root)` (H-93). */
  mounts?: MountTable;
  /** Further files and folders of the root that mounts read: they travel with a deployment's turn function. */
  files?: readonly string[];
  /** Folders of the workspace that hold skill bundles; `["skills/"]` unless given (H-23). */
  skills?: readonly string[];
  /** Shows models the pictures they read; off unless given. `maxBytes` of one: 10 MB; `keep` of the most recent: all (H-24). */
  images?: boolean | { maxBytes?: number; keep?: number };
  /** Webhooks by `<workflow>/<trigger>` (N-27). */
  webhooks?: Readonly<Record<string, WebhookConfig>>;
  /** Rules of the event bus that fire triggers, by name. */
  events?: Readonly<Record<string, EventRuleConfig>>;
  /** Schedules that fire triggers, by name. */
  schedules?: Readonly<Record<string, ScheduleConfig>>;
}

/**
 * Types a configuration; returns it unchanged.
 *
 * @example
 * export default defineConfig({ pricing: { default: { input: 3, output: 15 } } });
 */
export function defineConfig(config: ParkwayConfig): ParkwayConfig {
  return config;
}

/** The part of a configuration that agents over its root are made with. */
export function agentOptions(
  { webhooks, events, schedules, mounts, files, ...options }: ParkwayConfig,
  rootDir: string,
) {
  const mcp = mcpOption(options, rootDir);
  return {
    ...options,
    ...(mcp === undefined ? {} : { mcp }),
    workspace: { rootDir, ...(mounts ? { mounts } : {}) },
  };
}

/** Where the MCP servers of a root are described, if anywhere. */
export function mcpOption({ mcp }: Pick<ParkwayConfig, "mcp">, rootDir: string): McpOption | undefined {
  if (typeof mcp === "string") return resolve(rootDir, mcp);
  if (mcp !== undefined) return mcp;
  const file = join(rootDir, "mcp.json");
  return existsSync(file) ? file : undefined;
}
