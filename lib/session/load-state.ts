/** A session's committed state, read back from its thread. */
import type { SessionStore } from "./ports.js";
import type { SessionRecord } from "./record.js";
import type { SessionState } from "./state.js";
import { committedState } from "./thread/committed.js";

export interface LoadedSession {
  record: SessionRecord;
  state: SessionState;
  /** Arrivals waiting, held ones included. */
  queued: number;
}

/** Null for a session without a record. @throws {CheckpointCorruptError} when what is stored cannot be read */
export async function loadState(store: Pick<SessionStore, "read">, sessionId: string): Promise<LoadedSession | null> {
  const read = await store.read(sessionId);
  if (!read) return null;
  return { record: read.record, state: committedState(sessionId, read.thread), queued: read.queued };
}
