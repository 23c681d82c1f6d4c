/** The case that the demo tells. */
import { join } from "node:path";
import type { SessionSummary } from "../../session/outcome.js";

export const WORKFLOW = "refund-desk";
export const TRIGGER = "ticket_opened";
/** The tool in whose middle the first worker is killed. */
export const FATAL_TOOL = "issue_refund";
/** Short, so that the second worker need not wait long for the dead one's lease. */
export const LEASE_MS = 1_500;

export interface DemoPaths {
  root: string;
  outbox: string;
  script: string;
}

export function demoPaths(root: string, sessionId: string): DemoPaths {
  return {
    root,
    outbox: join(root, "outbox", sessionId),
    script: join("workflows", WORKFLOW, "demo", "replies.yaml"),
  };
}

/** What one worker process is told to do. */
export type DemoStep =
  | { do: "fire"; sessionId: string; root: string }
  | { do: "wake"; sessionId: string; root: string }
  /** Stops for ever in the middle of `dieIn`, for the parent to kill it. */
  | { do: "decide"; sessionId: string; root: string; park: string; dieIn?: string };

/** What was seen of the session between the steps. */
export interface Story {
  waiting: SessionSummary | null;
  early: unknown;
  asking: SessionSummary | null;
  killed: { signal: string | null; left: SessionSummary | null };
  final: SessionSummary | null;
}

/** Environment variable that makes `parkway demo` a worker of the demo. */
export const STEP_VARIABLE = "PARKWAY_DEMO_STEP";

export const TICKET = {
  body: "Please refund order NL-310: the chandelier does not fit. I have sent it back today.",
  customer_email: "leo@mail.example",
  asked_on: "2026-03-20",
} as const;

/** The states that the trail has to show, in order, with who moved there. */
export const EXPECTED_TRAIL = [
  ["trigger", "assess"],
  ["trigger", "assess"],
  ["agent", "check-policy"],
  ["code", "review"],
  ["human", "draft-email"],
  ["agent", "grade-email"],
  ["grader", "draft-email"],
  ["agent", "grade-email"],
  ["grader", "send-email"],
] as const;
