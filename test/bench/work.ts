/**
 * The common work: one message; the model answers three rounds with one tool call each, then a text. The tool reads, and
 * returns 200 bytes.
 */
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export const ROUNDS = 3;
export const QUESTION = "Where is my order, and when will it be here?";
export const ANSWER = "Your order has left the warehouse and will be with you on Thursday.";
export const TOOL = "look_up";
export const WORKFLOW = "desk";

export const SPEC = `title: Order desk
instructions: You answer questions about orders. Be brief.
tools: { allow_always: [] }
skills: { allow_always: [] }
states:
  answer:
    triggers: { manual: }
    instructions: Look up what is asked about and answer.
    tools: { allow: [${TOOL}] }
`;

/** 200 bytes that no store can compress, the same for the same argument. */
export function lookUp(part: string): string {
  const text = [0, 1, 2, 3, 4].map((index) => createHash("sha256").update(`${part}/${index}`).digest("base64"));
  return text.join("").slice(0, 200);
}

export const TOOL_PARAMETERS = {
  type: "object",
  properties: { part: { type: "string", description: "Which part of the order." } },
  required: ["part"],
};

/** A folder on the real disk, gone when the process ends. */
export function diskFolder(files: Readonly<Record<string, string>> = {}): string {
  const dir = mkdtempSync(join(tmpdir(), "parkway-bench-"));
  chmodSync(dir, 0o700);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), content);
  }
  process.on("exit", () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
