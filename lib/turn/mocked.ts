/** The answers of a test case's mocks (C-18, C-19). */
import type { CallResult } from "./runnable-call.js";
import type { MockAnswer, Turn } from "./types.js";

/** What answers the call in place of its tool, if anything does. `args` are as the tool would get them (C-21). */
export function mockOf(turn: Turn, tool: string, args: Record<string, unknown>): MockAnswer | undefined {
  return turn.options.mocks?.({ tool, args }) ?? undefined;
}

/** C-18: the declared answer; a mock of an ordinary tool has no returns. */
export function mockedResult(mock: MockAnswer): CallResult {
  if ("error" in mock) return { text: mock.error, status: "error", refusal: "tool-threw" };
  return { text: "text" in mock ? mock.text : JSON.stringify(mock), status: "success" };
}
