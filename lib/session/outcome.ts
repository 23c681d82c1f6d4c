/** What a caller is told: outcomes (R-16, H-68) and summaries (R-300, H-77), both derived from the state. */
import { parentSessionIdOf } from "../spec/index.js";
import type { StoredOutcome } from "./arrival.js";
import { isRuntimeNote, type StoredMessage } from "./messages.js";
import type { RecordPatch, SessionRecord } from "./record.js";
import type { Park, ParkDelegation, SessionState, SessionStatus, TrailStep, Usage } from "./state.js";
import { hasUsage } from "./usage.js";

/** What a `send`, `decide`, `reply` or `deliver` settled as, with the session's whole history (H-68). */
export interface Outcome extends StoredOutcome {
  auditTrail: readonly TrailStep[];
  variables: Record<string, { value: unknown; locked: boolean }>;
  messages: readonly StoredMessage[];
}

/** A session as `sessions.list` and `sessions.get` tell it (H-77); an absent field was never set or cannot be read. */
export interface SessionSummary {
  sessionId: string;
  status: SessionStatus;
  classification: "open" | "finished";
  workflow: string;
  /** ISO 8601, UTC; `updatedAt` is what lists are ordered by. */
  createdAt: string;
  updatedAt: string;
  workflowState?: string;
  specHash?: string;
  /** Where it is parked. */
  state?: string;
  waitReason?: string;
  resumeAt?: string;
  exit?: { code: string; reason: string; state: string };
  variables?: Record<string, { value: unknown; locked: boolean }>;
  usage?: Usage;
  pending?: Park;
  /** The child that the session is parked for. */
  delegation?: ParkDelegation;
  queued?: number;
  wakeFailing?: boolean;
  /** Of a child (H-92); its parent may be gone (S-88). */
  parentSessionId?: string;
}

/** Whether a status is `completed`, `failed` or `rejected` (H-70); a parked session is not finished. */
export function isFinished(status: string): boolean {
  return status === "completed" || status === "failed" || status === "rejected";
}

/** A status as `finished` or `open`, in agreement with `isFinished` (H-70). */
export function classifyStatus(status: string): "open" | "finished" {
  return isFinished(status) ? "finished" : "open";
}

export function isParked(status: string | undefined): boolean {
  return status === "awaiting_decision" || status === "awaiting_input";
}

/** every assistant text of the leg in order, runtime notes left out, joined by one blank line. */
export function replyOf(state: SessionState): string {
  return replyIn(state.messages.slice(state.fields.legStart ?? 0));
}

/** What the agent has said in these messages. */
export function replyIn(messages: readonly StoredMessage[]): string {
  return messages
    .filter((message) => message.role === "assistant" && !isRuntimeNote(message) && message.content.trim() !== "")
    .map((message) => message.content)
    .join("\n\n");
}

export function storedOutcomeOf(state: SessionState): StoredOutcome {
  const { legStart = 0, legTrail = 0 } = state.fields;
  return {
    ...toldOutcomeOf(state),
    leg: { messages: [legStart, state.messages.length], trail: [legTrail, state.trail.length] },
  };
}

function toldOutcomeOf(state: SessionState): StoredOutcome {
  const { fields } = state;
  const status = fields.status ?? "running";
  const park = isParked(status) ? fields.park : undefined;
  const position = park?.state ?? fields.position;
  return {
    kind: park ? "parked" : (status as "completed" | "failed" | "rejected"),
    disposition: fields.disposition ?? "turn",
    status,
    ...(position !== undefined ? { state: position } : {}),
    reply: replyOf(state),
    ...exitOf(state),
    ...(fields.limit !== undefined ? { limit: fields.limit } : {}),
    ...(status === "rejected" ? { rejected: fields.rejected ?? "" } : {}),
    ...(park ? { parkedChannel: park.channel, pending: park } : {}),
    ...(park?.delegation ? { delegation: park.delegation } : {}),
    ...(hasUsage(state.usage) ? { usage: state.usage } : {}),
  };
}

export function outcomeOf(state: SessionState): Outcome {
  return {
    ...toldOutcomeOf(state),
    auditTrail: state.trail,
    variables: shownVariables(state),
    messages: state.messages,
  };
}

/** read surfaces show value and lock, not who locked. */
export function shownVariables(state: SessionState): Record<string, { value: unknown; locked: boolean }> {
  return Object.fromEntries(
    Object.entries(state.variables).map(([name, { value, locked }]) => [name, { value, locked }]),
  );
}

function exitOf(state: SessionState): Pick<StoredOutcome, "exit"> {
  const { status, exit } = state.fields;
  if (status === "completed") return { exit: { success: true } };
  if (status !== "failed" || !exit) return {};
  return { exit: { success: false, code: exit.code, reason: exit.reason } };
}

/** The record's fields that follow from the state: written with every commit that changes them. */
export function recordPatchOf(state: SessionState): Required<Omit<RecordPatch, "workflow" | "checkpoint">> {
  const { fields } = state;
  const park = isParked(fields.status) ? fields.park : undefined;
  const title = Object.hasOwn(state.variables, "title") ? state.variables.title?.value : undefined;
  return {
    status: fields.status ?? null,
    position: fields.position ?? null,
    specHash: fields.specHash ?? null,
    title: typeof title === "string" ? title : null,
    park: park
      ? {
          parkId: park.parkId,
          channel: park.channel,
          state: park.state,
          ...(park.channel === "input" ? { reason: park.reason } : {}),
          ...(park.channel === "input" && park.resumeAt ? { resumeAt: Date.parse(park.resumeAt) } : {}),
          ...(park.delegation ? { delegation: park.delegation.sessionId } : {}),
        }
      : null,
    exit: fields.status === "failed" ? (fields.exit ?? null) : null,
    usage: hasUsage(state.usage) ? state.usage : null,
    turnOrdinal: fields.turnOrdinal ?? 0,
  };
}

/** from the checkpoints; `detail` adds what only `get` shows. */
export function summaryOf(
  record: SessionRecord,
  state: SessionState,
  detail?: { queued: number },
): SessionSummary | null {
  const status = state.fields.status ?? record.status;
  if (!status) return null;
  const park = isParked(status) ? state.fields.park : undefined;
  const parent = parentSessionIdOf(record.sessionId);
  return {
    sessionId: record.sessionId,
    status,
    classification: classifyStatus(status),
    workflow: record.workflow,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
    ...(state.fields.position !== undefined ? { workflowState: state.fields.position } : {}),
    ...(state.fields.specHash !== undefined ? { specHash: state.fields.specHash } : {}),
    ...(park ? { state: park.state } : {}),
    ...(park?.channel === "input" ? { waitReason: park.reason } : {}),
    ...(park?.channel === "input" && park.resumeAt ? { resumeAt: park.resumeAt } : {}),
    ...(status === "failed" && state.fields.exit ? { exit: state.fields.exit } : {}),
    ...(Object.keys(state.variables).length > 0 ? { variables: shownVariables(state) } : {}),
    ...(hasUsage(state.usage) ? { usage: state.usage } : {}),
    ...(detail && park ? { pending: park } : {}),
    ...(detail && park?.delegation ? { delegation: park.delegation } : {}),
    ...(detail && detail.queued > 0 ? { queued: detail.queued } : {}),
    ...(record.wakeFailures >= 5 ? { wakeFailing: true } : {}),
    ...(parent === null ? {} : { parentSessionId: parent }),
  };
}
