/** One host tool of each kind that may be repeated, with effects that can be counted in a folder. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolDescriptor } from "../../lib/tools/index.js";

const text = { type: "string" };
const one = (name: string) => ({ type: "object", properties: { [name]: text }, required: [name] });

export function effectTools(dir: string): Record<string, ToolDescriptor> {
  return {
    look_up: {
      description: "Reads something.",
      inputSchema: one("what"),
      readOnly: true,
      handler: () => ({ answer: "rain" }),
    },
    note_down: {
      description: "Writes a note once per key.",
      inputSchema: one("text"),
      idempotent: true,
      handler: (input, context) => {
        mkdirSync(join(dir, "notes"), { recursive: true });
        writeFileSync(join(dir, "notes", context.idempotencyKey.replaceAll("/", "_")), JSON.stringify(input));
        return { ok: true };
      },
    },
    // Rings every time it is called; only asking first keeps it from ringing twice.
    ring_up: {
      description: "Rings somebody up.",
      inputSchema: one("who"),
      reconcile: (_input, context) =>
        rings(dir).includes(context.idempotencyKey) ? { done: true, result: { ok: true } } : { done: false },
      handler: (_input, context) => {
        mkdirSync(dir, { recursive: true });
        appendFileSync(join(dir, "rings"), `${context.idempotencyKey}\n`);
        return { ok: true };
      },
    },
  };
}

export function readEffects(dir: string): unknown {
  const notes = existsSync(join(dir, "notes")) ? readdirSync(join(dir, "notes")) : [];
  return {
    notes: notes.sort().map((name) => readFileSync(join(dir, "notes", name), "utf8")),
    rings: rings(dir).length,
  };
}

function rings(dir: string): string[] {
  const file = join(dir, "rings");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
}
