import { describe, expect, it } from "vitest";
import { renderEventLine } from "../session/event-line.js";
import type { EngineEvent, EventDraft } from "../session/events.js";
import { createStateFlowRenderer } from "./state-flow.js";
import { createStyle, wantsColour } from "./style.js";

function flowOf(...drafts: (EventDraft & { subWorkflowDispatchId?: string })[]): string[] {
  const lines: string[] = [];
  const render = createStateFlowRenderer({ style: createStyle({ colour: false }), write: (line) => lines.push(line) });
  for (const [seq, draft] of drafts.entries()) render(stamped(draft, seq + 1));
  return lines;
}

function stamped(draft: EventDraft, seq: number): EngineEvent {
  return { ...draft, level: "info", ts: 0, seq, sessionId: "s" };
}

describe("the state flow", () => {
  it("C-62 shows states at the margin and a transition once, without the call that made it", () => {
    const flow = flowOf(
      { type: "workflow-reset", entry: "intake" },
      { type: "advance", from: "__start__", to: "intake" },
      { type: "state-enter", state: "intake" },
      { type: "tool-called", state: "intake", tool: "archmax_advance", callId: "c1", args: { to: "review" } },
      { type: "advance", from: "intake", to: "review", reason: "all there", callId: "c1" },
      { type: "state-leave", state: "intake", next: "review" },
      { type: "state-enter", state: "review" },
      {
        type: "tool-result",
        state: "intake",
        tool: "archmax_advance",
        callId: "c1",
        status: "success",
        durationMs: 1,
        output: "moved",
        truncated: false,
      },
      { type: "state-leave", state: "review", next: "review" },
    );

    expect(flow).toEqual(["▶ intake", "◀ intake → review — all there", "▶ review", "◀ review"]);
  });

  it("C-62 shows a raise by itself, and a control call that failed", () => {
    const flow = flowOf(
      { type: "tool-called", state: "a", tool: "archmax_raise", callId: "c1", args: {} },
      { type: "raised", state: "a", code: "no-stock", reason: "sold out", callId: "c1" },
      {
        type: "tool-result",
        state: "a",
        tool: "archmax_advance",
        callId: "c2",
        status: "error",
        durationMs: 1,
        output: "no such\nstate",
        truncated: false,
      },
    );

    expect(flow).toEqual(["    ✖ raised no-stock: sold out", "    ✖ archmax_advance: no such state"]);
  });

  it("C-62 shows tools, refusals, text, scripts, graders, parks, decisions, deliveries, routes and warnings below", () => {
    const state = "a";
    const flow = flowOf(
      { type: "tool-called", state, tool: "read_file", callId: "c", args: { path: "/x" } },
      { type: "tool-called", state, tool: "read_file", callId: "d", args: {}, origin: "script" },
      { type: "tool-blocked", state, tool: "write_file", callId: "e", args: {}, reason: "not granted", rule: "grant" },
      { type: "agent-text", state, text: "One.\nTwo." },
      { type: "code-start", state, script: "scripts/check.js" },
      { type: "code-output", state, line: "checking" },
      { type: "code-result", state, status: "ok", durationMs: 12 },
      { type: "grader-start", state },
      { type: "grader-result", state, status: "error", durationMs: 1500, reason: "too short" },
      { type: "parked", state, awaiting: "input", reason: "a reply", resumeAt: "2026-01-06T10:00:00.000Z" },
      { type: "decided", state, to: "b", decidedBy: "ann" },
      { type: "delivered", state, trigger: "mail", to: state },
      { type: "state-error-routed", state, to: "b", reason: "it threw" },
      { type: "warning", scope: "spec", message: "unused" },
    );

    expect(flow).toEqual([
      '    → read_file {"path":"/x"}',
      "      → read_file {}",
      "    ✖ refused write_file: not granted",
      "    “ One.",
      "    “ Two.",
      "    ⚙ scripts/check.js",
      "      │ checking",
      "    ✔ script ok in 12 ms",
      "    ⚖ grader",
      "    ✖ grader error in 1.5 s — too short",
      "    ⏸ parked, awaiting input — a reply, due 2026-01-06T10:00:00.000Z",
      "    ☑ decided → b by ann",
      "    ✉ delivered by mail",
      "    ↯ on_error → b: it threw",
      "    ⚠ spec: unused",
    ]);
  });

  it("C-62 folds a child session into the start and result of its dispatch, by its number", () => {
    const start = { type: "sub-workflow-start", state: "a", workflow: "lookup", depth: 1 } as const;
    const result = { type: "sub-workflow-result", state: "a", workflow: "lookup" } as const;
    const flow = flowOf(
      { ...start, dispatchId: "1", toolCallId: "c1" },
      { ...start, dispatchId: "2", toolCallId: "c2" },
      { ...start, dispatchId: "3", toolCallId: "c3" },
      { type: "state-enter", state: "inner", subWorkflowDispatchId: "1" },
      { type: "agent-text", state: "inner", text: "hidden", subWorkflowDispatchId: "1" },
      { type: "grader-start", state: "inner", subWorkflowDispatchId: "1" },
      { ...start, state: "inner", dispatchId: "1~1", depth: 2, subWorkflowDispatchId: "1" },
      { type: "parked", state: "ask", awaiting: "decision", subWorkflowDispatchId: "2" },
      { ...result, dispatchId: "2", status: "parked", durationMs: 5 },
      { ...result, dispatchId: "1", status: "ok", durationMs: 20, returns: ["order", "sum"] },
      { ...result, dispatchId: "3", status: "error", durationMs: 1500, reason: "raised no-order: it is\ngone" },
      { type: "parked", state: "a", awaiting: "decision" },
    );

    expect(flow).toEqual([
      "    ⇢ lookup ~1",
      "    ⇢ lookup ~2",
      "    ⇢ lookup ~3",
      "    ⏸ lookup ~2 parked in 5 ms",
      "    ⇠ lookup ~1 ok in 20 ms, returned order, sum",
      "    ⇠ lookup ~3 error in 1.5 s — raised no-order: it is gone",
      "    ⏸ parked, awaiting decision",
    ]);
  });

  it("C-62 shows a grader's calls between its start and its result, and its move with the reason", () => {
    const state = "grade";
    const flow = flowOf(
      { type: "state-enter", state },
      { type: "grader-start", state },
      { type: "tool-called", state, tool: "read_file", callId: "g1", args: { file_path: "scratchpad/a.md" } },
      {
        type: "tool-blocked",
        state,
        tool: "write_file",
        callId: "g2",
        args: {},
        reason: "denied",
        rule: "tool.forbidden",
      },
      { type: "tool-called", state, tool: "archmax_advance", callId: "g3", args: { to: "send" } },
      { type: "grader-result", state, status: "ok", durationMs: 900 },
      { type: "advance", from: state, to: "send", reason: "All criteria are met.", callId: "g3" },
      { type: "state-leave", state, next: "send" },
    );

    expect(flow).toEqual([
      "▶ grade",
      "    ⚖ grader",
      '    → read_file {"file_path":"scratchpad/a.md"}',
      "    ✖ refused write_file: denied",
      "    ✔ grader ok in 900 ms",
      "◀ grade → send — All criteria are met.",
    ]);
  });

  it("C-62 shows a reset between two states", () => {
    const flow = flowOf(
      { type: "state-enter", state: "a" },
      { type: "state-leave", state: "a", next: "start" },
      { type: "workflow-reset", entry: "start" },
      { type: "state-enter", state: "start" },
    );

    expect(flow).toEqual(["▶ a", "◀ a → start", "    ↺ reset to start", "▶ start"]);
  });

  it("C-62 renderEventLine is one line with everything the event carries", () => {
    const line = renderEventLine(stamped({ type: "agent-text", state: "a", text: "x\ny" }, 7));

    expect(line).toBe('7 info agent-text s {"state":"a","text":"x\\ny"}');
  });
});

describe("colour", () => {
  it("C-61 is used on a terminal only, and not with NO_COLOR; icons stay", () => {
    expect(wantsColour({ isTTY: true }, {})).toBe(true);
    expect(wantsColour({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
    expect(wantsColour({}, {})).toBe(false);
    expect(createStyle({ colour: true }).red("✖ x")).toBe("\u001b[31m✖ x\u001b[39m");
    expect(createStyle({ colour: false }).red("✖ x")).toBe("✖ x");
  });
});
