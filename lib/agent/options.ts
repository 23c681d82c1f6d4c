/** What `createAgent` takes (H-8…H-43), as far as it is built. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { BaseStore } from "@langchain/langgraph-checkpoint";
import type { ExtensionOptions } from "../extensions/types.js";
import type { GovernanceRule, ToolPaths } from "../kernel/types.js";
import type { McpOption } from "../mcp/types.js";
import type { ModelFactory, PricingTable, RetryOptions } from "../models/index.js";
import type { Sandbox } from "../sandbox/types.js";
import { seedProblem } from "../session/arrive/seeds.js";
import { InvalidSessionPathError } from "../session/errors.js";
import type { EventHandler } from "../session/events.js";
import type { Clock, Doorbell, EventBus, Metrics } from "../session/ports.js";
import type { Retention } from "../session/protocol/index.js";
import { plainJson } from "../session/thread/plain-json.js";
import { parseDottedPath } from "../spec/index.js";
import type { SessionStore, StorePorts } from "../stores/bundles/index.js";
import type { ToolEffectOptions } from "../tools/index.js";
import type { Backend, MountTable } from "../workspace/index.js";
import { InvalidClockError } from "./errors.js";
import { checkOptionShapes } from "./option-shapes.js";

/** The ports behind a session store, for a host that has its own; most give `workspace.sessionStore` instead (H-88). */
export type AgentStores = StorePorts;

/**
 * The options of `createAgent`, each of them optional; an unknown one is refused with a `TypeError` that names it
 * (H-8).
 */
export interface CreateAgentParams extends ExtensionOptions {
  /**
   * The slug of the workflow that governs, or `false` for a plain agent. Left out, `DEFAULT_WORKFLOW` governs where its
   * spec file exists, and the agent is plain where it does not (H-25).
   */
  workflow?: string | false;
  workspace?: {
    /** Holds `workflows/`, `skills/`, `AGENTS.md`; the current directory where no other source is given (H-28). */
    rootDir?: string;
    /** What is served over each session's own files (H-93); `defaultMounts(rootDir)` unless given. */
    mounts?: MountTable;
    /** Where sessions are kept (H-88); a folder of the root, `sessions/`, unless given. */
    sessionStore?: SessionStore;
  };
  /** Holds `workflows/**` in place of a folder. Serves agents nothing by itself, and asks for `workspace.sessionStore` (H-30). */
  backend?: Backend;
  /** Where the runtime alone reads `workflows/**`; `backend`, else the root, unless given (H-31). */
  authoring?: Backend;
  /** Folders of the workspace that hold skill bundles; `["skills/"]` unless given, `[]` for none (H-23). */
  skills?: readonly string[];
  /** The ports of a session store one by one, in place of `workspace.sessionStore`: for tests and deployments. */
  stores?: AgentStores;
  /** Host tools: LangChain structured tools, or what `toolsFromMap` makes (H-18). */
  tools?: readonly StructuredToolInterface[];
  essentialTools?: readonly string[];
  toolPaths?: Readonly<Record<string, ToolPaths>>;
  /** Which calls of a tool may be repeated after a crash; wins over what the tool declares (H-131). */
  toolEffects?: Readonly<Record<string, ToolEffectOptions>>;
  /** MCP servers, whose tools are governed as the host's are: a JSON file, or what it would say (A-54). */
  mcp?: McpOption;
  model?: BaseChatModel;
  modelFactory?: ModelFactory;
  /**
   * How the requests that Parkway makes of models and of MCP servers are repeated (A-46); a model that a host passes has
   * rules of its own.
   */
  retry?: RetryOptions;
  /** Text placed right after `AGENTS.md` (H-17). */
  systemPrompt?: string;
  /** The trigger of a turn that names none (H-32). */
  trigger?: { id: string };
  /** Seeded whenever a turn opens (H-33). */
  variables?: Record<string, unknown>;
  sessionPath?: string;
  policyRules?: readonly GovernanceRule[];
  promptCache?: { enabled?: boolean; ttl?: "5m" | "1h" };
  pricing?: PricingTable;
  /**
   * Shows the model the pictures (PNG, JPEG, GIF, WebP) that it reads with `read_file` (H-24). `maxBytes` of one picture: 10
   * MB unless given; `keep`: how many of the most recent are sent, all unless given. Off unless given.
   */
  images?: boolean | { maxBytes?: number; keep?: number };
  /** Pins the time stated to the model (H-41). */
  clock?: string;
  onEvent?: EventHandler;
  sandboxRuntime?: Sandbox;
  /** The environment; `process.env` and the root's `.env` unless given (H-125). */
  env?: Record<string, string | undefined>;
  /** LangGraph's long-term store, which tools find with `getStore()`; handed on untouched, like the next two (H-22). */
  store?: BaseStore;
  /** The graph's name, which LangGraph's events show. */
  name?: string;
  description?: string;
  /** Ports of a host, for tests and deployments. */
  host?: {
    clock?: Clock;
    doorbell?: Doorbell;
    bus?: EventBus;
    metrics?: Metrics;
    leaseMs?: number;
    owner?: string;
    /** How long sessions are kept once nothing is left to do in them (S-81); for ever unless given. */
    retention?: Retention;
    /** S-53: an invocation's limit minus its reserve, which is the most that one step may take. */
    invocationLimitMs?: number;
    /** Cancels assembly: every connection that it is making is given up (A-57). */
    signal?: AbortSignal;
  };
}

/** Those of an agent that a named workflow governs. */
export type GovernedAgentParams = CreateAgentParams & { workflow: string };

/** The same for whatever runs sessions. */
export type RuntimeParams = CreateAgentParams;

const KEYS = new Set<keyof CreateAgentParams>([
  "workflow",
  "workspace",
  "backend",
  "authoring",
  "skills",
  "stores",
  "tools",
  "essentialTools",
  "toolPaths",
  "toolEffects",
  "mcp",
  "model",
  "modelFactory",
  "retry",
  "systemPrompt",
  "trigger",
  "variables",
  "sessionPath",
  "policyRules",
  "promptCache",
  "images",
  "pricing",
  "clock",
  "onEvent",
  "sandboxRuntime",
  "guardrails",
  "completion",
  "hooks",
  "onMetric",
  "agents",
  "middleware",
  "limits",
  "compaction",
  "store",
  "name",
  "description",
  "env",
  "host",
]);

/** What LangGraph's own agents take and these do not, with what to do instead (H-22, H-35). */
const REFUSED: Readonly<Record<string, string>> = {
  interruptOn: "a call that a person has to approve belongs after a human state of the workflow.",
  checkpointer:
    "a checkpoint is written in one commit with its session's record, which another saver cannot do; give `workspace.sessionStore`.",
};

/** H-8: a misspelt option is an error, not a silent default, and so is one of another kind. @throws {TypeError} */
export function checkOptionKeys(params: object, { of = "createAgent", but = [] as readonly string[] } = {}): void {
  if (typeof params !== "object" || params === null || Array.isArray(params))
    throw new TypeError(`${of} takes an object of options.`);
  const refused = Object.keys(params).find((key) => Object.hasOwn(REFUSED, key));
  if (refused !== undefined) throw new TypeError(`${of} takes no "${refused}": ${REFUSED[refused]}`);
  const unknown = Object.keys(params).filter((key) => !(KEYS as Set<string>).has(key) || but.includes(key));
  if (unknown.length > 0) throw new TypeError(`${of} has no option ${unknown.map((key) => `"${key}"`).join(", ")}.`);
  checkOptionShapes(params);
  const { workspace = {} } = params as RuntimeParams;
  const unknownThere = Object.keys(workspace).filter((key) => !["rootDir", "mounts", "sessionStore"].includes(key));
  if (unknownThere.length > 0) throw new TypeError(`${of} has no option "workspace.${unknownThere[0]}".`);
}

/** H-41: epoch milliseconds, or null for the real clock. @throws {InvalidClockError} */
export function pinnedClock(text: string | undefined): number | null {
  if (text === undefined || text === "") return null;
  const match = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(text);
  const at = match ? Date.parse(match[2] ? text : `${text}T00:00:00Z`) : Number.NaN;
  const day = match?.[1];
  const real = day !== undefined && new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) === day;
  if (Number.isNaN(at) || !real) throw new InvalidClockError(text);
  return at;
}

/**
 * H-33, H-34. @throws {InvalidVariableNameError} @throws {InvalidTitleError} @throws {InvalidSessionPathError}
 * @throws {UnstorableStateError}
 */
export function checkTurnDefaults({ variables, sessionPath }: RuntimeParams): void {
  const problem = seedProblem(variables ?? {}, "createAgent({ variables })");
  if (problem) throw problem;
  plainJson(variables ?? {}, { path: "variables" });
  if (sessionPath !== undefined) checkSessionPath(sessionPath);
}

/** R-23. @throws {InvalidSessionPathError} */
export function checkSessionPath(path: string): void {
  if (typeof path !== "string") throw new InvalidSessionPathError(String(path), "a path is a text");
  const parsed = parseDottedPath(path);
  if (!parsed.ok) throw new InvalidSessionPathError(path, parsed.reason);
}
