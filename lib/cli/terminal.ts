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
  env: Record<string, string | undefined>;
  cwd: string;
}

export function processTerminal(): Terminal {
  return {
    out: (text) => void process.stdout.write(`${text}\n`),
    err: (text) => void process.stderr.write(`${text}\n`),
    style: createStyle({ colour: wantsColour(process.stderr, process.env) }),
    interactive: process.stderr.isTTY === true,
    env: process.env,
    cwd: process.cwd(),
  };
}
