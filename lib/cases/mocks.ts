/** The answers a case declares in place of tools (C-18…C-23). */
import type { AgentMiddleware } from "../extensions/types.js";
import type { CaseMock } from "../spec/cases/index.js";
import { workflowSlugFromToolName } from "../spec/index.js";
import type { MockAnswer, Mocks } from "../turn/types.js";
import { partialMatch } from "./partial-match.js";

const MIDDLEWARE_NAME = "ToolMockMiddleware";

/**
 * Declares that an agent's calls are answered by the mocks of the turn's config, so that cases with mocks may run on it
 * (C-23). It holds nothing itself: the runtime asks the mocks after governance, whoever makes the call (C-19).
 */
export function createToolMockMiddleware(): AgentMiddleware {
  return { name: MIDDLEWARE_NAME };
}

/** The first entry that fits a call answers it (C-18). */
export function mocksOf(entries: readonly CaseMock[]): Mocks {
  return ({ tool, args }) => {
    const found = entries.find(
      (entry) => entry.tool === tool && (entry.whenInput === undefined || partialMatch(entry.whenInput, args)),
    );
    if (found === undefined) return null;
    return workflowSlugFromToolName(tool) === null ? { text: asText(found.result) } : childAnswer(found.result);
  };
}

/** C-22: what a mapping declares of a child's end; anything else is what the child says last. */
function childAnswer(result: unknown): MockAnswer {
  const { error, message, returns } = isMapping(result) ? result : {};
  if (typeof error === "string") return { error };
  if (isMapping(returns)) return { ...(message === undefined ? {} : { message: asText(message) }), returns };
  return { text: asText(message === undefined ? result : message) };
}

function asText(result: unknown): string {
  return typeof result === "string" ? result : JSON.stringify(result);
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
