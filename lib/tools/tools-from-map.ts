/** Host tools written as a map of descriptors (H-101, H-102). */
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ToolPaths } from "../kernel/types.js";
import { contextOutsideTurn, type HandlerContext } from "./handler-context.js";
import { textOfResult } from "./result-text.js";
import { readInputSchema } from "./tool-schema.js";

/** What `reconcile` says after a crash: whether the call happened (S-41). */
export type HostReconciled = { done: true; result: unknown } | { done: false } | "unknown";

/** What is known of a tool's effect; nothing is assumed (H-131). */
export interface EffectDeclaration {
  readOnly?: boolean;
  idempotent?: boolean;
  reconcile?(input: Record<string, unknown>, context: HandlerContext): HostReconciled | Promise<HostReconciled>;
}

/**
 * A host tool as `toolsFromMap` takes it (H-101): the handler gets validated input, and what it throws answers the call
 * as an error.
 */
export interface ToolDescriptor extends EffectDeclaration {
  description: string;
  /** A JSON Schema of type object, or a zod object. */
  inputSchema: unknown;
  /** Path arguments (H-103). */
  paths?: ToolPaths;
  handler(input: Record<string, unknown>, context: HandlerContext): unknown;
}

/** What a tool of `toolsFromMap` carries beside LangChain's own fields. */
export const DESCRIPTOR = Symbol.for("parkway.tool-descriptor");

export type MappedTool = StructuredToolInterface & { readonly [DESCRIPTOR]: ToolDescriptor };

/**
 * LangChain structured tools of a map from names to descriptors. In a session the handler gets the validated input and
 * a context bound to the turn; invoked by anybody else, it gets one whose `workspace` and `sessionId` throw.
 *
 * @example
 * toolsFromMap({
 *   lookup_order: {
 *     description: "Finds an order by its number.",
 *     inputSchema: z.object({ number: z.string() }),
 *     readOnly: true,
 *     handler: ({ number }, { signal }) => orders.find(number, { signal }),
 *   },
 * });
 */
export function toolsFromMap(map: Readonly<Record<string, ToolDescriptor>>): StructuredToolInterface[] {
  return Object.entries(map).map(([name, descriptor]) => mappedTool(name, descriptor));
}

/** The object has the shape LangChain asks of a tool without its class, so that building one loads nothing. */
function mappedTool(name: string, descriptor: ToolDescriptor): StructuredToolInterface {
  const invoke = async (input: unknown, config?: { signal?: AbortSignal }): Promise<string> => {
    const schema = await readInputSchema(name, descriptor.inputSchema);
    const given = isToolCall(input) ? input.args : input;
    const parsed = await schema.parsed(given as Record<string, unknown>);
    return textOfResult(await descriptor.handler(parsed, contextOutsideTurn(config?.signal)));
  };
  const tool = {
    name,
    description: descriptor.description,
    schema: descriptor.inputSchema,
    lc_namespace: ["langchain", "tools"],
    lc_runnable: true,
    returnDirect: false,
    metadata: {},
    invoke,
    call: invoke,
    [DESCRIPTOR]: descriptor,
  };
  return tool as unknown as StructuredToolInterface;
}

function isToolCall(input: unknown): input is { args: unknown } {
  return (
    typeof input === "object" && input !== null && "type" in input && input.type === "tool_call" && "args" in input
  );
}
