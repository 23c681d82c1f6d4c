/** A Converse request as the service takes it, where a transcript may hold what it refuses. */
import { createHash } from "node:crypto";
import type {
  ContentBlock,
  ConverseCommandInput,
  Message,
  Tool,
  ToolConfiguration,
  ToolResultContentBlock,
} from "@aws-sdk/client-bedrock-runtime";

import type { StoredMessage } from "../session/messages.js";

/** Text must not be blank, names and ids are of few characters, and roles take turns, the user's first. */
export function fittedInput(input: ConverseCommandInput): ConverseCommandInput {
  const { messages = [], toolConfig } = input;
  return { ...input, messages: takingTurns(messages.map(fittedMessage)), ...(toolConfig && fittedTools(toolConfig)) };
}

/** LangChain's class throws for a person's empty message before anything can be fitted; a blank gets through to here. */
export function withoutEmptyText(messages: readonly StoredMessage[]): StoredMessage[] {
  return messages.map((message) =>
    message.role === "user" && message.content === "" ? { ...message, content: " " } : message,
  );
}

export function hasMark({ system = [] }: ConverseCommandInput): boolean {
  return system.some((block) => block.cachePoint !== undefined);
}

export function withoutMarks(input: ConverseCommandInput): ConverseCommandInput {
  return { ...input, system: input.system?.filter((block) => block.cachePoint === undefined) };
}

const EMPTY = "(empty)";
const START = "(The session begins.)";

function takingTurns(messages: readonly Message[]): Message[] {
  const turns: Message[] = [];
  for (const { role, content = [] } of messages) {
    const last = turns.at(-1);
    if (content.length === 0) continue;
    if (last && last.role === role) last.content = [...(last.content ?? []), ...content];
    else turns.push({ role, content });
  }
  return turns[0]?.role === "assistant" ? [{ role: "user", content: [{ text: START }] }, ...turns] : turns;
}

function fittedMessage({ role, content = [] }: Message): Message {
  return { role, content: content.flatMap((block) => fittedBlock(block, role === "assistant")) };
}

function fittedBlock(block: ContentBlock, ofModel: boolean): ContentBlock[] {
  if (block.text !== undefined) {
    if (block.text.trim() !== "") return [block];
    return ofModel ? [] : [{ text: EMPTY }];
  }
  if (block.toolUse) {
    const { toolUseId, name, ...rest } = block.toolUse;
    return [{ toolUse: { ...rest, toolUseId: fittedId(toolUseId ?? ""), name: fittedName(name ?? "") } }];
  }
  if (block.toolResult) {
    const { toolUseId, content = [], ...rest } = block.toolResult;
    return [{ toolResult: { ...rest, toolUseId: fittedId(toolUseId ?? ""), content: content.map(fittedResult) } }];
  }
  return [block];
}

function fittedResult(block: ToolResultContentBlock): ToolResultContentBlock {
  return block.text?.trim() === "" ? { text: EMPTY } : block;
}

function fittedTools(toolConfig: ToolConfiguration): { toolConfig: ToolConfiguration } {
  return { toolConfig: { ...toolConfig, tools: toolConfig.tools?.map(fittedTool) } };
}

function fittedTool(tool: Tool): Tool {
  if (!tool.toolSpec || tool.toolSpec.description) return tool;
  const { description: _, ...toolSpec } = tool.toolSpec;
  return { toolSpec } as Tool;
}

/** Names and ids: 1 to 64 of these (API reference of ToolUseBlock). */
const FITTING = /^[\w-]{1,64}$/;

/** An id that another endpoint gave is replaced, the same in the call and in its answer. */
function fittedId(id: string): string {
  return FITTING.test(id) ? id : `call-${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

/** A name a model made up; no tool is called so. */
function fittedName(name: string): string {
  return FITTING.test(name) ? name : name.replace(/[^\w-]/g, "_").slice(0, 64) || "unnamed";
}
