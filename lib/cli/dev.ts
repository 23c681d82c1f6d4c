/** `parkway dev`: the whole deployment on this machine, until Ctrl-C. */
import { once } from "node:events";
import { loadConfigFile } from "../config/index.js";
import { renderEventLine } from "../session/event-line.js";
import { noticeLine, startLines } from "./dev-view.js";
import { EXIT, UsageError } from "./errors.js";
import { printHeader } from "./header.js";
import { textOption } from "./options.js";
import type { CommandContext } from "./types.js";
import { listWorkflows } from "./workflows.js";

const DEFAULT_PORT = 8787;

export async function dev(context: CommandContext): Promise<number> {
  const { terminal, root, options, signal, command } = context;
  const port = portOption(context);
  if (listWorkflows(root).length === 0) {
    throw new UsageError(`there is no workflow in ${root}/workflows; name the workspace with --root`, command);
  }
  // Whatever runs it may stop it with SIGTERM, as a terminal does with Ctrl-C.
  const stopped = Promise.race([once(signal, "abort"), once(process, "SIGTERM")]);
  printHeader(context, undefined, "with-model");
  const config = await loadConfigFile(root);
  const { startLocal } = await import("../local/index.js");
  const host = await startLocal({
    rootDir: root,
    config,
    env: terminal.env,
    port,
    ...(options.newKey ? { newKey: true } : {}),
    tell: (notice) => terminal.err(noticeLine(notice, terminal.style)),
    ...(options.verbose ? { onEvent: (event) => terminal.err(terminal.style.dim(renderEventLine(event))) } : {}),
  });
  for (const line of startLines(host, terminal.style)) terminal.err(line);

  if (!signal.aborted) await stopped;
  terminal.err("stopping; what does not end soon goes on at the next start (Ctrl-C again stops at once)");
  await host.close();
  return EXIT.ok;
}

function portOption(context: CommandContext): number {
  const text = textOption(context, "port");
  if (text === undefined) return DEFAULT_PORT;
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new UsageError(`--port must be a number up to 65535, found "${text}"`, context.command);
}
