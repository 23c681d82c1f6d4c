/**
 * Models that answer from a script (H-133, A-53), for demos and tests. A file is YAML in one of two forms:
 *
 * ```yaml
 * # A list: each call takes the next unused reply of its role.
 * - text: One moment.
 *   toolCalls: [{ name: archmax_wait, args: { reason: cooling down, until: 5m } }]
 * - toolCalls: [{ name: archmax_advance, args: { to: resumed, reason: The pause is over. } }]
 * ```
 * ```yaml
 * # Conditional: the first reply whose `when` fits the request answers it, in any process and as often as it is asked.
 * replies:
 *   - when: { state: cool-down, call: 1 }
 *     text: One moment.
 *   - when: { parked: true }
 *     text: I am waiting.
 * ```
 */
import { readFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { InvalidModelScriptError, ModelCallError } from "./errors.js";
import { createInProcessModel, type InProcessAnswer, type InProcessRequest } from "./in-process.js";
import { textOf } from "./reply.js";
import { type Sleep, sleepOnTimers } from "./retry.js";
import { replyChooser, type ScriptMessage, type ScriptView } from "./script-choice.js";
import { type ModelScript, parseModelScript } from "./script-file.js";

/**
 * @param file - absolute, or relative to `rootDir` (default: the current directory)
 * @throws {InvalidModelScriptError} when the file is missing or breaks the form
 */
export async function createScriptModel(
  file: string,
  deps: { rootDir?: string; sleep?: Sleep } = {},
): Promise<BaseChatModel> {
  const path = isAbsolute(file) ? file : join(deps.rootDir ?? process.cwd(), file);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new InvalidModelScriptError(file, [error.code === "ENOENT" ? "there is no such file" : error.message]);
  });
  return modelOfScript(parseModelScript(text, file), deps.sleep ?? sleepOnTimers);
}

/** One step of a script written in code. */
export type ScriptStep = string | (InProcessAnswer & { error?: { status?: number; message: string } });

/** A model that gives out the steps in order, whatever the role, and keeps the requests it got in `requests`. */
export async function scriptedModel(
  steps: readonly ScriptStep[],
): Promise<BaseChatModel & { requests: InProcessRequest[] }> {
  const requests: InProcessRequest[] = [];
  const model = await createInProcessModel({
    model: "scripted",
    generate(request) {
      requests.push(request);
      const step = steps[requests.length - 1];
      if (step === undefined) throw new ModelCallError(`The scripted model has only ${steps.length} steps.`);
      if (typeof step === "string") return { content: step };
      if (step.error) throw new ModelCallError(step.error.message, { status: step.error.status });
      return step;
    },
  });
  return Object.assign(model, { requests });
}

function modelOfScript(script: ModelScript, sleep: Sleep): Promise<BaseChatModel> {
  const choose = replyChooser(script);
  return createInProcessModel({
    model: `script:${script.file}`,
    async generate(request) {
      const reply = choose(viewOf(request));
      if (reply.delayMs) await sleep(reply.delayMs, request.signal);
      if (reply.error) throw new ModelCallError(reply.error.message, { status: reply.error.status });
      return { content: reply.text, toolCalls: reply.toolCalls, usage: reply.usage };
    },
  });
}

function viewOf({ messages, role }: InProcessRequest): ScriptView {
  const system: string[] = [];
  const rest: ScriptMessage[] = [];
  for (const message of messages) {
    const text = textOf(message.content);
    const type = message.getType();
    if (type === "system") system.push(text);
    else if (type === "human") rest.push({ role: "user", text });
    else if (type === "tool") rest.push({ role: "tool", text, tool: message.name });
    else {
      const calls = (message as { tool_calls?: { name: string }[] }).tool_calls ?? [];
      rest.push({ role: "assistant", text, calls: calls.map((call) => call.name) });
    }
  }
  return { role, system: system.join("\n\n"), messages: rest };
}
