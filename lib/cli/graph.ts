/** `parkway graph`: a workflow's graph as Mermaid text, a picture, or data (C-74, H-108). */
import { serializedGraph } from "../artifacts/index.js";
import { loadMachine } from "../intake/index.js";
import { renderMermaid } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import { createAuthoring, createFilesystemBackend } from "../workspace/index.js";
import { EXIT, UsageError } from "./errors.js";
import { printHeader } from "./header.js";
import { writeOutput } from "./options.js";
import type { CommandContext } from "./types.js";
import { chooseWorkflow } from "./workflows.js";

export async function graph(context: CommandContext): Promise<number> {
  const { terminal, root, options, command } = context;
  if (options.svg && options.json) throw new UsageError("give --svg or --json, not both", command);
  const { named, file } = pictureOf(context);
  const workflow = chooseWorkflow(root, named, command);
  printHeader(context, workflow, "without-model");

  const machine = await loadMachine(createAuthoring(createFilesystemBackend(root)), workflow);
  const text = await drawn(machine, options);
  if (file === undefined) terminal.out(text.trimEnd());
  else terminal.out(`wrote ${writeOutput(context, file, text)}`);
  return EXIT.ok;
}

/** `--svg` may stand before the workflow's name, which is then no file. */
function pictureOf({ args, options, command }: CommandContext): { named?: string; file?: string } {
  const [named] = args;
  const { svg } = options;
  if (typeof svg !== "string") return { named };
  if (svg.endsWith(".svg")) return { named, file: svg };
  if (named !== undefined) throw new UsageError(`--svg takes a file that ends in .svg, found "${svg}"`, command);
  return { named: svg };
}

async function drawn(machine: Machine, options: CommandContext["options"]): Promise<string> {
  if (options.json) return `${JSON.stringify(serializedGraph(machine))}\n`;
  if (!options.svg) return renderMermaid(machine);
  const { renderSvg } = await import("../drawing/index.js");
  return renderSvg(machine);
}
