/**
 * The tools of an agent: the host's, and after them those of its MCP servers, which are connected to when the first
 * workflow is composed, after all that can be refused without them (H-10, H-106).
 */
import {
  createMcpServers,
  InvalidMcpConfigError,
  isToolOf,
  type McpServersHandle,
  type McpStatus,
  readMcpConfig,
} from "../mcp/index.js";
import type { ServerSettings } from "../mcp/types.js";
import type { Environment } from "../models/index.js";
import type { Clock } from "../session/ports.js";
import { createToolRegistry, hostTool, type RuntimeTool, type ToolRegistry } from "../tools/index.js";
import type { Emitter } from "../turn/emitter.js";
import { pictureLimits } from "../turn/pictures.js";
import { PACKAGE_VERSION } from "../version.js";
import type { RuntimeParams } from "./options.js";

/** How long a server that was down is left alone. */
const RETRY_AFTER_MS = 60_000;

export interface OfferedTools {
  /** Reads the servers' configuration, and connects to nothing. @throws {InvalidMcpConfigError} */
  checkServers(): void;
  /**
   * All tools; the first to ask connects to the servers.
   *
   * @throws {InvalidMcpConfigError} @throws {ToolPathsError} @throws {TypeError} for what is said of a tool that a server
   * does not have @throws the signal's reason
   */
  registry(from: { env: Environment; rootDir: string | null }): Promise<ToolRegistry>;
  /**
   * Changes when `registry` does: servers that were down are tried again from time to time, beside the turns that go on
   * without them. An execution environment may live for hours (F-71).
   */
  version(): number;
  /** */
  status(): Record<string, McpStatus>;
  close(): Promise<void>;
}

/** @throws for tools, and what is said of them, that cannot be whatever the servers offer (H-104, H-105, H-131) */
export async function createOfferedTools(
  params: RuntimeParams,
  ports: { clock: Clock; emitter: Emitter; signal: AbortSignal },
): Promise<OfferedTools> {
  const { toolEffects, toolPaths, essentialTools = [] } = params;
  const host = await Promise.all((params.tools ?? []).map((tool) => hostTool(tool)));
  const read = params.mcp === undefined ? [] : readServers(params.mcp);
  const settings = read instanceof InvalidMcpConfigError ? [] : read;
  // Of servers that cannot be read nothing is known, so nothing said of tools is wrong for that.
  const mayBeOf = (servers: readonly { name: string }[], tool: string) =>
    read instanceof InvalidMcpConfigError || isToolOf(servers, tool);

  function registryOf(tools: readonly RuntimeTool[], mayBeAbsent: (tool: string) => boolean): ToolRegistry {
    const registry = createToolRegistry({
      host: tools,
      ...(toolPaths ? { toolPaths } : {}),
      ...(toolEffects ? { toolEffects } : {}),
      pictures: pictureLimits(params.images) !== null,
      mayBeAbsent,
    });
    checkEssentialTools(essentialTools, (tool) => registry.hostTools.includes(tool) || mayBeAbsent(tool));
    return registry;
  }
  const own = registryOf(host, (tool) => mayBeOf(settings, tool));

  let servers: McpServersHandle | null = null;
  let all: Promise<ToolRegistry> | null = null;
  let made: { env: Environment; rootDir: string | null } | null = null;
  let version = 0;
  let triedAt = 0;

  async function withServers(from: { env: Environment; rootDir: string | null }): Promise<ToolRegistry> {
    servers ??= createMcpServers(settings, {
      clock: ports.clock,
      env: from.env,
      rootDir: from.rootDir ?? process.cwd(),
      client: { name: "parkway", version: PACKAGE_VERSION },
      ...(params.retry ? { retry: params.retry } : {}),
      random: Math.random,
      warn: (message) => ports.emitter.emit({ type: "warning", scope: "mcp", message }),
      repeatable(tool) {
        const effect = toolEffects && Object.hasOwn(toolEffects, tool) ? toolEffects[tool] : undefined;
        return effect?.readOnly === true || effect?.idempotent === true;
      },
    });
    const { load, status } = servers;
    triedAt = Number.POSITIVE_INFINITY;
    const tools = await load(new Set(host.map(({ name }) => name)), ports.signal).finally(() => {
      triedAt = ports.clock.now();
    });
    const silent = settings.filter(({ name }) => status()[name] !== "connected");
    return registryOf([...host, ...tools], (tool) => mayBeOf(silent, tool));
  }

  async function again(from: { env: Environment; rootDir: string | null }): Promise<void> {
    const known = await all;
    const registry = await withServers(from);
    if (registry.hostTools.length === known?.hostTools.length) return;
    all = Promise.resolve(registry);
    version += 1;
  }

  function tellOfIt(error: unknown): void {
    if (ports.signal.aborted) return;
    const message = error instanceof Error ? error.message : String(error);
    ports.emitter.emit({ type: "warning", scope: "mcp", message });
  }

  function checkServers(): void {
    if (read instanceof InvalidMcpConfigError) throw read;
  }

  return {
    checkServers,
    async registry(from) {
      checkServers();
      if (settings.length === 0) return own;
      made = from;
      all ??= withServers(from).catch(async (error) => {
        await servers?.close();
        throw error;
      });
      return all;
    },
    version() {
      const isDue = servers !== null && !servers.isComplete() && ports.clock.now() - triedAt >= RETRY_AFTER_MS;
      if (isDue && made && !ports.signal.aborted) again(made).catch(tellOfIt);
      return version;
    },
    status: () => servers?.status() ?? {},
    close: async () => servers?.close(),
  };
}

function readServers(option: NonNullable<RuntimeParams["mcp"]>): ServerSettings[] | InvalidMcpConfigError {
  try {
    return readMcpConfig(option);
  } catch (error) {
    if (error instanceof InvalidMcpConfigError) return error;
    throw error;
  }
}

function checkEssentialTools(essential: readonly string[], isTool: (name: string) => boolean): void {
  const unknown = essential.filter((name) => !isTool(name));
  if (unknown.length > 0)
    throw new TypeError(`essentialTools names ${unknown.join(", ")}, which no host tool is called.`);
}
