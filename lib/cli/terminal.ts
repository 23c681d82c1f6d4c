/** The process as the commands see it, so that they can be tested without one. */
import { createStyle, type Style, wantsColour } from "./style.js";

export interface Terminal {
  /** Results (stdout); a line break is added. */
  out(text: string): void;
  /** Everything else (stderr); a line break is added. */
  err(text: string): void;
  /** For what goes to stderr. */
  style: Style;
  /** Whether a person watches stderr. */
  interactive: boolean;
  /** Asks the person there; absent where nobody could answer. An end of input is an empty answer. */
  ask?(question: string, signal: AbortSignal): Promise<string>;
  env: Record<string, string | undefined>;
  cwd: string;
}

export function processTerminal(): Terminal {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    style: createStyle({ colour: wantsColour(process.stderr, process.env) }),
    interactive: process.stderr.isTTY === true,
    ...(process.stdin.isTTY && process.stderr.isTTY ? { ask } : {}),
    env: process.env,
    cwd: process.cwd(),
  };
}

async function ask(question: string, signal: AbortSignal): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  // While it reads, the terminal gives it the keys, Ctrl-C among them.
  lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
  const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
  try {
    return await Promise.race([lines.question(question, { signal }), ended]);
  } finally {
    lines.close();
  }
}
