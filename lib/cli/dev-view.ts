/** What `parkway dev` prints: how to reach it, then one line for whatever happens. */
import { oneLineOf } from "../config/index.js";
import type { LocalHost, Notice } from "../local/index.js";
import type { Outcome } from "../session/outcome.js";
import { isKnownError } from "./errors.js";
import { icons, type Style } from "./style.js";

/** The lines of the start. The key is in them, this once. */
export function startLines(host: LocalHost, style: Style): string[] {
  const { webhooks, events, schedules } = host.deployment;
  const next = host.schedules();
  const lists: [name: string, lines: string[]][] = [
    ["url", [host.url]],
    [
      "key",
      host.newKey === null
        ? ["the one made before; --new-key makes another"]
        : [style.bold(host.newKey), "shown this once"],
    ],
    ["workflows", [...host.workflows]],
    ["hooks", Object.entries(webhooks).map(([key, { verify }]) => `POST ${host.url}/hooks/${key} (${verify.scheme})`)],
    ["events", Object.entries(events).map(([name, { workflow, trigger }]) => `${name} fires ${workflow}/${trigger}`)],
    [
      "schedules",
      Object.entries(schedules).map(([name, { workflow, trigger, schedule }]) => {
        const at = next[name];
        const when = at === null || at === undefined ? "never again" : `next at ${new Date(at).toISOString()}`;
        return `${name} fires ${workflow}/${trigger}: ${schedule}, ${when}`;
      }),
    ],
  ];
  return lists.flatMap(([name, lines]) =>
    lines.map((line, index) => `${index === 0 ? style.dim(name.padEnd(11)) : " ".repeat(11)}${line}`),
  );
}

/** The line that tells of something that happened. */
export function noticeLine(notice: Notice, style: Style): string {
  switch (notice.kind) {
    case "request": {
      const { method, route, status, durationMs, sessionId, code, error } = notice.entry;
      const shown =
        status >= 500 ? style.red(String(status)) : status >= 400 ? style.yellow(String(status)) : String(status);
      const why = error === undefined ? code : reasonOf(error);
      return words(
        style.dim(icons.call),
        method,
        route || "(no route)",
        shown,
        sessionId,
        why,
        took(durationMs, style),
      );
    }
    case "turn": {
      const { sessionId, outcome, error, durationMs } = notice;
      if (outcome) return words(markOf(outcome, style), sessionId, outcomeWords(outcome), took(durationMs, style));
      return words(style.red(icons.fail), sessionId, error ? reasonOf(error) : "superseded", took(durationMs, style));
    }
    case "delayed":
      return words(style.yellow(icons.warn), notice.sessionId, "failed for now and is tried again");
    case "fired":
      return words(style.dim(icons.delivered), notice.what, "fired", notice.sessionId);
    case "kept":
      return words(style.yellow(icons.warn), notice.what, `became the dead letter ${notice.id}:`, notice.reason);
    case "failure":
      return words(style.red(icons.fail), `${notice.doing}:`, reasonOf(notice.error));
    case "warning":
      return words(style.yellow(icons.warn), notice.message);
  }
}

function markOf({ kind }: Outcome, style: Style): string {
  if (kind === "completed") return style.green(icons.ok);
  return kind === "parked" ? style.yellow(icons.park) : style.red(icons.fail);
}

function outcomeWords({ kind, state, exit, rejected, parkedChannel, delegation }: Outcome): string {
  const where = state === undefined ? "" : ` in ${state}`;
  const whose = delegation === undefined ? "" : ` for its child ${delegation.sessionId}`;
  if (kind === "parked")
    return `parked${where}${whose}, waits for ${parkedChannel === "decision" ? "a decision" : "an event"}`;
  if (kind === "rejected") return `rejected: ${rejected ?? ""}`;
  const why = exit && !exit.success ? `: ${exit.code}` : "";
  return `${kind}${where}${why}`;
}

/** An error that does not explain itself is shown with its stack. */
function reasonOf(error: unknown): string {
  const stack = error instanceof Error && !isKnownError(error) ? error.stack : undefined;
  return stack ?? oneLineOf(error);
}

function took(ms: number, style: Style): string {
  return style.dim(`${ms} ms`);
}

function words(...parts: (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join(" ");
}
