/** The context a host tool's handler is given (H-102, R-248). */
import type { Workspace } from "../workspace/types.js";
import type { ToolContext } from "./types.js";

/** What a handler knows of the turn it runs in. */
export interface HandlerContext {
  /** The workspace `read_file` uses. Reading it outside a turn throws. */
  readonly workspace: Workspace;
  /** The calling session; in a child, the child's own. Reading it outside a turn throws. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** The same for every attempt of one call (S-44). */
  readonly idempotencyKey: string;
  readonly attempt: number;
}

/**
 * The handler's view of one call. `workspace` and `sessionId` are not enumerable, so logging or comparing the context
 * is harmless; after `end` reading them throws.
 */
export function bindContext(call: ToolContext): { context: HandlerContext; end(): void } {
  let current: ToolContext | null = call;
  const context = handlerContext(call, () => current);
  const end = () => {
    current = null;
  };
  return { context, end };
}

/** For a tool invoked by anybody but a turn. */
export function contextOutsideTurn(signal: AbortSignal = new AbortController().signal): HandlerContext {
  return handlerContext({ signal, idempotencyKey: "", attempt: 1 }, () => null);
}

function handlerContext(
  { signal, idempotencyKey, attempt }: Pick<ToolContext, "signal" | "idempotencyKey" | "attempt">,
  turn: () => ToolContext | null,
): HandlerContext {
  const bound = <K extends "workspace" | "sessionId">(field: K) => ({
    enumerable: false,
    get: (): ToolContext[K] => {
      const call = turn();
      if (call) return call[field];
      throw new Error(`\`${field}\` can be read only while a turn runs the tool.`);
    },
  });
  const context = { signal, idempotencyKey, attempt };
  return Object.defineProperties(context, {
    workspace: bound("workspace"),
    sessionId: bound("sessionId"),
  }) as HandlerContext;
}
