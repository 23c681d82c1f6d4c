/** The lines that stderr starts with (C-61). */

import { PACKAGE_VERSION } from "../version.js";
import type { CommandContext } from "./types.js";

export function printHeader(
  context: CommandContext,
  workflow: string | undefined,
  extent: "with-model" | "without-model",
): void {
  const { terminal, root, endpoint } = context;
  const { style, env } = terminal;
  if (terminal.interactive && !env.ARCHMAX_CLI_NO_BANNER) terminal.err(style.bold(`parkway ${PACKAGE_VERSION}`));
  if (workflow) terminal.err(`${style.dim("workflow")}   ${workflow}`);
  if (endpoint !== undefined) {
    terminal.err(`${style.dim("endpoint")}   ${endpoint}`);
    return;
  }
  terminal.err(`${style.dim("root")}       ${root}`);
  if (extent === "with-model")
    terminal.err(`${style.dim("model")}      ${env.ARCHMAX_MODEL || "(ARCHMAX_MODEL is not set)"}`);
}
