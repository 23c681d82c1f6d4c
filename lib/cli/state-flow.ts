/**
 * The state flow of a running turn (C-62): states at the margin, what happens in them indented below. A renderer keeps
 * the little it must remember between events: the reason of a move until the state is left, and the control calls that
 * show by what they bring about.
 */
import type { EngineEvent, EventHandler, EventType } from "../session/events.js";
import { icons, type Style } from "./style.js";

/** Where `createStateFlowRenderer` writes, and in which style. */
export interface StateFlowOptions {
  style: Style;
  /** Takes one line, without its line break. */
  write(line: string): void;
}

/** Calls whose effect has an event of its own; they show only when they fail. */
const QUIET_TOOLS = new Set(["archmax_advance", "archmax_raise", "archmax_wait", "archmax_reset"]);
const MAX_VALUE_CHARS = 160;

interface Flow extends StateFlowOptions {
  /** Whether a state was shown yet. */
  begun: boolean;
  /** Why the current state is being left, known before it is. */
  moveReason: string | null;
  below(line: string): void;
}

type Renderers = { [T in EventType]?: (event: Extract<EngineEvent, { type: T }>, flow: Flow) => void };

/**
 * An `onEvent` handler that writes a session's state flow for people, line by line (C-62). It remembers what it has
 * shown, so make one for each turn or case.
 */
export function createStateFlowRenderer(options: StateFlowOptions): EventHandler {
  const flow: Flow = {
    ...options,
    begun: false,
    moveReason: null,
    below: (line) => options.write(`    ${line}`),
  };
  return (event) => {
    // A child is told by its dispatch alone.
    if (event.subWorkflowDispatchId !== undefined) return;
    (RENDERERS[event.type] as ((event: EngineEvent, flow: Flow) => void) | undefined)?.(event, flow);
  };
}

const RENDERERS: Renderers = {
  "state-enter": (event, flow) => {
    flow.begun = true;
    flow.write(`${flow.style.cyan(icons.enter)} ${flow.style.bold(event.state)}`);
  },
  "state-leave": (event, flow) => {
    const move = event.next === event.state ? event.state : `${event.state} → ${event.next}`;
    flow.write(`${flow.style.cyan(icons.leave)} ${move}${flow.style.dim(reasonOf(flow.moveReason))}`);
    flow.begun = true;
    flow.moveReason = null;
  },
  advance: (event, flow) => {
    flow.moveReason = event.from === "__start__" ? null : (event.reason ?? null);
  },
  "workflow-reset": (event, flow) => {
    // A turn that opens at an entry emits this too; there nothing was reset before anybody's eyes.
    if (flow.begun) flow.below(`${icons.reset} reset to ${event.entry}`);
  },
  "state-error-routed": (event, flow) => {
    flow.below(flow.style.yellow(`${icons.route} on_error → ${event.to}: ${oneLine(event.reason)}`));
  },
  "code-start": (event, flow) => flow.below(`${icons.code} ${event.script}`),
  "code-output": (event, flow) => flow.below(flow.style.dim(`  │ ${event.line}`)),
  "code-result": (event, flow) => flow.below(resultLine("script", event, flow.style)),
  "grader-start": (_event, flow) => flow.below(`${icons.grader} grader`),
  "grader-result": (event, flow) => flow.below(resultLine("grader", event, flow.style)),
  parked: (event, flow) => {
    const due = event.resumeAt ? `, due ${event.resumeAt}` : "";
    flow.below(flow.style.yellow(`${icons.park} parked, awaiting ${event.awaiting}${reasonOf(event.reason)}${due}`));
  },
  decided: (event, flow) => {
    flow.below(`${icons.decided} decided → ${event.to}${event.decidedBy ? ` by ${event.decidedBy}` : ""}`);
  },
  delivered: (event, flow) => flow.below(`${icons.delivered} delivered by ${event.trigger}`),
  raised: (event, flow) => flow.below(flow.style.red(`${icons.fail} raised ${event.code}: ${oneLine(event.reason)}`)),
  "tool-called": (event, flow) => {
    if (QUIET_TOOLS.has(event.tool)) return;
    const indent = event.origin === "script" ? "  " : "";
    flow.below(`${indent}${icons.call} ${event.tool} ${flow.style.dim(clipped(JSON.stringify(event.args ?? {})))}`);
  },
  "tool-result": (event, flow) => {
    if (event.status === "error") flow.below(flow.style.red(`${icons.fail} ${event.tool}: ${oneLine(event.output)}`));
  },
  "tool-blocked": (event, flow) => {
    flow.below(flow.style.yellow(`${icons.fail} refused ${event.tool}: ${oneLine(event.reason)}`));
  },
  "agent-text": (event, flow) => {
    for (const line of event.text.trim().split("\n")) flow.below(`“ ${line}`);
  },
  "sub-workflow-start": (event, flow) => flow.below(`${icons.child} ${childOf(event)}`),
  "sub-workflow-result": (event, flow) => {
    const returns = event.returns?.length ? `, returned ${event.returns.join(", ")}` : "";
    const icon = event.status === "parked" ? icons.park : icons.childDone;
    const line = `${icon} ${childOf(event)} ${event.status} in ${seconds(event.durationMs)}`;
    const text = `${line}${reasonOf(event.reason)}${returns}`;
    flow.below(event.status === "ok" ? text : flow.style[event.status === "error" ? "red" : "yellow"](text));
  },
  "completion-failed": (event, flow) => {
    flow.below(
      flow.style.yellow(
        `${icons.warn} check ${event.attempt} of ${event.maxAttempts} failed: ${oneLine(event.reason)}`,
      ),
    );
  },
  warning: (event, flow) => flow.below(flow.style.yellow(`${icons.warn} ${event.scope}: ${oneLine(event.message)}`)),
};

/** Several children of one workflow may run at once; what follows the tilde is the end of the child's session id. */
function childOf({ workflow, dispatchId }: { workflow: string; dispatchId: string }): string {
  return `${workflow} ~${dispatchId}`;
}

function resultLine(
  what: string,
  event: { status: "ok" | "error"; durationMs: number; reason?: string },
  style: Style,
): string {
  const ok = event.status === "ok";
  const line = `${ok ? icons.ok : icons.fail} ${what} ${event.status} in ${seconds(event.durationMs)}`;
  return (ok ? style.green : style.red)(`${line}${reasonOf(event.reason)}`);
}

function reasonOf(reason: string | null | undefined): string {
  return reason ? ` — ${oneLine(reason)}` : "";
}

function oneLine(text: string): string {
  return clipped(text.trim().replace(/\s+/g, " "));
}

function clipped(text: string): string {
  return text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}…` : text;
}

function seconds(durationMs: number): string {
  return durationMs < 1000 ? `${Math.round(durationMs)} ms` : `${(durationMs / 1000).toFixed(1)} s`;
}
