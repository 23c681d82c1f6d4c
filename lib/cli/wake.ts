/** `parkway wake`: one sweep over what is due now (S-59, C-74). */
import { EXIT } from "./errors.js";
import { printHeader } from "./header.js";
import { textOption } from "./options.js";
import { eventPrinter } from "./turn.js";
import type { CommandContext } from "./types.js";
import { anyWorkflow } from "./workflows.js";

export async function wake(context: CommandContext): Promise<number> {
  const { terminal, root, options } = context;
  const named = textOption(context, "workflow");
  const workflow = anyWorkflow(context, named);
  printHeader(context, named, "with-model");
  const agent = await context.openAgent({ root, workflow, onEvent: eventPrinter(context) });
  try {
    const { due, woken } = await agent.wake();
    terminal.out(options.json ? JSON.stringify({ due, woken }) : `${woken} of ${due} due woken`);
    return EXIT.ok;
  } finally {
    await agent.close();
  }
}
