/** `parkway validate`: what can be found wrong with a workflow without running it (C-67). */

import {
  checkDeployment,
  deploymentOf,
  loadConfigFile,
  mcpOption,
  type ParkwayConfig,
  readTriggers,
} from "../config/index.js";
import { isShapeCode } from "../spec/index.js";
import type { Diagnostic } from "../spec/types.js";
import { validateWorkflow } from "../workspace/validate/index.js";
import { EXIT } from "./errors.js";
import { printHeader } from "./header.js";
import { icons, type Style } from "./style.js";
import type { CommandContext } from "./types.js";
import { chooseWorkflow } from "./workflows.js";

export async function validate(context: CommandContext): Promise<number> {
  const { terminal, root, options } = context;
  const workflow = chooseWorkflow(root, context.args[0], context.command);
  printHeader(context, workflow, "without-model");

  const config = await loadConfigFile(root);
  const { tools, toolPaths, essentialTools, mounts, skills } = config;
  const names = tools?.map((tool) => tool.name);
  const servers = await mcpServers(context, config);
  const result = await validateWorkflow({
    rootDir: root,
    workflow,
    toolPaths,
    essentialTools,
    tools: names,
    mounts,
    skills,
    ...(servers ? { mcp: servers.knows } : {}),
  });

  for (const diagnostic of result.diagnostics) terminal.err(diagnosticLine(diagnostic, terminal.style));
  if (result.diagnostics.some(({ code }) => isShapeCode(code)))
    terminal.err(terminal.style.dim("These are of the file's form; the rest is checked once they are mended."));
  const deployment = checkDeployment(deploymentOf(config), readTriggers(root));
  for (const { at, message } of deployment) {
    terminal.err(`${terminal.style.red(`${icons.fail} error`)}  parkway.config ${at}: ${message}`);
  }
  for (const [name, { status, reason }] of Object.entries(servers?.listed ?? {})) {
    if (status !== "failed") continue;
    terminal.err(`${terminal.style.yellow(`${icons.warn} warning`)}  The MCP server "${name}" ${reason}.`);
  }
  const valid = result.valid && deployment.length === 0;
  terminal.out(
    options.json
      ? JSON.stringify({
          ...result,
          valid,
          ...(deployment.length > 0 ? { deployment } : {}),
          ...(servers?.listed ? { mcp: servers.listed } : {}),
        })
      : summaryLine({ valid, diagnostics: result.diagnostics }, deployment.length),
  );
  return valid ? EXIT.ok : EXIT.failure;
}

/** What is known of the MCP servers' tools; they are connected to with `--mcp` alone (A-61). */
async function mcpServers({ root, options, terminal }: CommandContext, config: ParkwayConfig) {
  const option = mcpOption(config, root);
  if (option === undefined) return null;
  const { knowledgeOf, readMcpConfig } = await import("../mcp/index.js");
  const settings = readMcpConfig(option);
  if (!options.mcp) return { knows: knowledgeOf(settings, null) };
  const [{ listMcpTools }, { loadDotEnv }] = await Promise.all([import("../agent.js"), import("../models/index.js")]);
  const listed = await listMcpTools(option, { env: loadDotEnv(root, terminal.env), rootDir: root });
  return { listed, knows: knowledgeOf(settings, listed) };
}

export function diagnosticLine(
  { severity, message, hint, file, line, column, field, code }: Diagnostic,
  style: Style,
): string {
  const at = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  const place = [at, field].filter((part) => part !== undefined && part !== "").join(" ");
  const mark = severity === "error" ? style.red(`${icons.fail} error`) : style.yellow(`${icons.warn} warning`);
  return `${mark}  ${place ? `${place}: ` : ""}${message}${hint && !message.endsWith(hint) ? ` ${hint}` : ""} ${style.dim(`[${code}]`)}`;
}

/** @param others - errors beside the workflow's own diagnostics */
function summaryLine(
  { valid, diagnostics }: { valid: boolean; diagnostics: readonly Diagnostic[] },
  others = 0,
): string {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return `${valid ? "valid" : "invalid"} — ${errors + others} error(s), ${diagnostics.length - errors} warning(s)`;
}
