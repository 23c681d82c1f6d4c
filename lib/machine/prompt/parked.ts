/** The volatile block of a reply-only call: the clock and one notice, nothing of the state (W-272, R-105, R-106). */

export type ParkedNotice =
  /** A person has written while a decision is pending. */
  | { kind: "reply" }
  /** The work has just been handed over for a decision. */
  | { kind: "handoff" }
  /** The session waits for an event; `reason` is the wait's own. */
  | { kind: "waiting"; reason: string }
  /** A runtime note routed the session here. */
  | { kind: "routed" };

const TEXT_ONLY =
  "Answer in text only: every tool call made now is refused and nothing runs. What you say now is the message a person reads.";

export function renderParkedBlock({ clock, notice }: { clock: string; notice: ParkedNotice }): string {
  return [clock, "## This session is parked", noticeText(notice), TEXT_ONLY].join("\n\n");
}

function noticeText(notice: ParkedNotice): string {
  switch (notice.kind) {
    case "reply":
      return (
        "A person's decision is pending, and a person has just written to you. Answer that message from what you know. " +
        "Nothing written here is the decision: it is made elsewhere, and you can neither take it nor hurry it."
      );
    case "handoff":
      return (
        "The work has just been handed over, and a person now decides how it goes on. Write the message that goes with " +
        "it: what was done, what was found, and what the person should look at."
      );
    case "waiting":
      return (
        `The session now waits for an event. Reason given: ${foldLines(notice.reason)}\n\n` +
        "Say briefly what has been done so far and what is being waited for."
      );
    case "routed":
      return (
        "The last runtime note routed the session here, and a person now decides how it goes on. Write the message that " +
        "goes with it: what happened, as the note has it, and what the person should look at."
      );
  }
}

function foldLines(text: string): string {
  return text.trim().replace(/\s*[\r\n]+\s*/g, " ");
}
