/** A host's LangChain tool as a tool of the runtime (H-101…H-103, H-131). */
import type { StructuredToolInterface } from "@langchain/core/tools";
import type { ToolPaths } from "../kernel/types.js";
import { ToolDescriptionError } from "./errors.js";
import { bindContext, type HandlerContext } from "./handler-context.js";
import { textOfResult } from "./result-text.js";
import { type InputSchema, readInputSchema } from "./tool-schema.js";
import { DESCRIPTOR, type EffectDeclaration, type HostReconciled, type MappedTool } from "./tools-from-map.js";
import type { Reconciled, RuntimeTool, ToolContext, ToolEffect } from "./types.js";

/**
 * What `toolEffects` says of repeating a tool's calls after a crash (H-131); it wins over the tool's own descriptor.
 */
export type ToolEffectOptions = EffectDeclaration;

export interface HostToolOptions {
  /** Wins over the tool's own declaration (H-20). */
  paths?: ToolPaths;
  /** Wins over the tool's own declaration (H-131). */
  effect?: ToolEffectOptions;
}

/**
 * Makes a tool of the runtime out of a LangChain structured tool. Its input is checked before the handler runs; its
 * declarations are those of `toolsFromMap`, else `metadata.{readOnly, idempotent, reconcile, paths}`, else the options.
 * A LangChain tool's function finds the handler's context as `config.context`.
 *
 * @throws {ToolDescriptionError} naming the tool, when it cannot be described to a model (F-70)
 */
export async function hostTool(tool: StructuredToolInterface, options: HostToolOptions = {}): Promise<RuntimeTool> {
  const { name } = tool;
  if (typeof name !== "string" || name === "") throw new ToolDescriptionError(String(name), "it has no name");
  const descriptor = isMapped(tool) ? tool[DESCRIPTOR] : null;
  const declared = descriptor ?? metadataOf(tool);
  const schema = await readInputSchema(name, descriptor?.inputSchema ?? tool.schema);
  const reconcile = options.effect ? options.effect.reconcile : declared.reconcile;
  const paths = options.paths ?? declared.paths;

  const call = (args: Record<string, unknown>, context: HandlerContext, signal: AbortSignal) =>
    descriptor
      ? callHandler(descriptor, schema, { args, context })
      : callLangChain(tool, schema, { args, context, signal });

  return {
    name,
    description: tool.description ?? "",
    parameters: schema.parameters,
    effect: effectOf(options.effect ?? declared),
    ...(paths ? { paths } : {}),
    parse(args) {
      const problems = schema.problems(args);
      return problems.length > 0 ? { ok: false, problems } : { ok: true, args };
    },
    run: (args, context) => inTurn(context, async (bound) => textOfResult(await call(args, bound, context.signal))),
    ...(reconcile
      ? {
          reconcile: (args, context) =>
            inTurn(context, async (bound) => fromHost(await reconcile(schema.revived(args), bound))),
        }
      : {}),
  };
}

/** S-41: the strongest declaration counts; without one a call is never repeated. */
export function effectOf(declared: ToolEffectOptions): ToolEffect {
  if (declared.readOnly === true) return "read-only";
  if (declared.idempotent === true) return "idempotent";
  return declared.reconcile ? "reconciled" : "effect";
}

export function fromHost(answer: HostReconciled): Reconciled {
  if (answer === "unknown") return { kind: "unknown" };
  return answer.done ? { kind: "done", result: textOfResult(answer.result) } : { kind: "not-done" };
}

/**
 * Runs a host's code with the call's context, which ends with it. Once the signal aborts it is waited for no longer, and
 * what it does then reaches nobody: code that ignores the signal cannot hold the turn (R-305, S-54).
 */
export async function inTurn<T>(call: ToolContext, work: (context: HandlerContext) => Promise<T>): Promise<T> {
  call.signal.throwIfAborted();
  const { context, end } = bindContext(call);
  try {
    return await unlessAborted(call.signal, work(context));
  } finally {
    end();
  }
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    const settled = () => signal.removeEventListener("abort", onAbort);
    work.then(resolve, reject).finally(settled);
  });
}

async function callHandler(
  descriptor: MappedTool[typeof DESCRIPTOR],
  schema: InputSchema,
  { args, context }: { args: Record<string, unknown>; context: HandlerContext },
): Promise<unknown> {
  return descriptor.handler(await schema.parsed(args), context);
}

async function callLangChain(
  tool: StructuredToolInterface,
  schema: InputSchema,
  { args, context, signal }: { args: Record<string, unknown>; context: HandlerContext; signal: AbortSignal },
): Promise<unknown> {
  const config = { signal, context };
  return tool.invoke(schema.revived(args) as Parameters<StructuredToolInterface["invoke"]>[0], config);
}

function metadataOf(tool: StructuredToolInterface): ToolEffectOptions & { paths?: ToolPaths } {
  const metadata: unknown = "metadata" in tool ? tool.metadata : undefined;
  return typeof metadata === "object" && metadata !== null ? metadata : {};
}

function isMapped(tool: StructuredToolInterface): tool is MappedTool {
  return DESCRIPTOR in tool;
}
