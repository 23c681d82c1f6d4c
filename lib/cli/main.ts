/** The command `parkway`: parses, dispatches, and tells errors (C-57…C-59). */
import { resolve } from "node:path";
import { oneLineOf } from "../config/index.js";
import { loadDotEnv } from "../models/index.js";
import { PACKAGE_VERSION } from "../version.js";
import { EXIT, errorJson, isKnownError, UsageError } from "./errors.js";
import { openAgent } from "./open-agent.js";
import { parseCommandLine } from "./parse.js";
import { icons } from "./style.js";
import { processTerminal, type Terminal } from "./terminal.js";
import type { OpenAgent } from "./types.js";

export interface MainOptions {
  terminal?: Terminal;
  openAgent?: OpenAgent;
  signal?: AbortSignal;
}

/**
 * Runs one command line.
 *
 * @param argv - without the node and script paths
 * @returns the exit code; the process is left alone
 */
export async function main(argv: readonly string[], options: MainOptions = {}): Promise<number> {
  const { terminal, hasResult } = watched(options.terminal ?? processTerminal());
  const signal = options.signal ?? interruptSignal();
  try {
    const parsed = parseCommandLine(argv, PACKAGE_VERSION);
    if (parsed.kind === "text") {
      terminal.out(parsed.text);
      return EXIT.ok;
    }
    const root = resolve(terminal.cwd, parsed.root ?? ".");
    const endpoint = parsed.options.endpoint as string | undefined;
    const opened = endpoint === undefined ? openAgent : await remotely(endpoint, terminal, parsed.spec.name);
    return await parsed.spec.run({
      terminal: endpoint === undefined ? { ...terminal, env: loadDotEnv(root, terminal.env) } : terminal,
      root,
      rootOption: parsed.root,
      ...(endpoint === undefined ? {} : { endpoint }),
      command: parsed.spec.name,
      args: parsed.args,
      options: parsed.options,
      signal,
      openAgent: options.openAgent ?? opened,
    });
  } catch (error) {
    if (asksForJson(argv) && !hasResult()) terminal.out(JSON.stringify(errorJson(error)));
    return tell(error, terminal, signal);
  }
}

/** The terminal, and whether a result was printed on it: with `--json` there is one document, whatever goes wrong (C-58). */
function watched(terminal: Terminal): { terminal: Terminal; hasResult(): boolean } {
  let printed = false;
  const out = (text: string) => {
    printed = true;
    terminal.out(text);
  };
  return { terminal: { ...terminal, out }, hasResult: () => printed };
}

/** Of a command line that may be none, too. */
function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return argv.slice(0, end < 0 ? undefined : end).includes("--json");
}

/** C-71: no root is read. */
async function remotely(endpoint: string, { env }: Terminal, command: string): Promise<OpenAgent> {
  const [{ createRemoteAgent }, { createRemoteClient }] = await Promise.all([
    import("./remote/agent.js"),
    import("./remote/client.js"),
  ]);
  const client = createRemoteClient(endpoint, env, command);
  return async ({ workflow, onEvent }) => createRemoteAgent(client, { workflow, ...(onEvent ? { onEvent } : {}) });
}

function tell(error: unknown, terminal: Terminal, signal: AbortSignal): number {
  const { style } = terminal;
  if (error instanceof UsageError) {
    terminal.err(style.red(`${icons.fail} ${error.message}`));
    terminal.err(`try parkway ${error.command ? `${error.command} ` : ""}--help`);
    return EXIT.usage;
  }
  if (signal.aborted) {
    terminal.err(style.red(`${icons.fail} turn-cancelled`));
    return EXIT.interrupted;
  }
  const stack = error instanceof Error ? error.stack : undefined;
  terminal.err(style.red(isKnownError(error) || !stack ? `${icons.fail} ${oneLineOf(error)}` : stack));
  return EXIT.failure;
}

/** Aborts on the first Ctrl-C; the second quits at once (C-65). */
function interruptSignal(): AbortSignal {
  const controller = new AbortController();
  process.on("SIGINT", () => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort(new Error("cancelled from the terminal"));
  });
  return controller.signal;
}
