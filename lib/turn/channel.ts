/** The graph's one channel: the session's state, stored as the patches that made it (R-5, S-77). */
import { DeltaChannel } from "@langchain/langgraph";
import { applyPatches, emptyState } from "../session/fold.js";
import type { SessionPatch, SessionState } from "../session/state.js";

/** No snapshot is ever due: the store reads all patches of a session with one query. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function sessionChannel(): DeltaChannel<SessionState, SessionPatch[]> {
  return new DeltaChannel<SessionState, SessionPatch[]>((state, writes) => applyPatches(state, writes.flat()), {
    snapshotFrequency: NEVER,
    initialValueFactory: emptyState,
  });
}
