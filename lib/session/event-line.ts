/** One raw line per event: what a console shows where nobody subscribed (H-38), and what `--verbose` prints. */
import type { EngineEvent } from "./events.js";

/** `17 warn tool-blocked ticket-1 {"state":"intake",…}`: place, level, type, session, then the payload as JSON. */
export function renderEventLine(event: EngineEvent): string {
  const { seq, level, type, sessionId, ts: _ts, ...payload } = event;
  return [seq, level, type, sessionId ?? "-", JSON.stringify(payload)].join(" ");
}
