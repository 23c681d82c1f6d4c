/** A session's committed state, read back from its thread. */
import { applyPatches, emptyState } from "../session/fold.js";
import type { SessionStore } from "../session/ports.js";
import type { SessionRecord } from "../session/record.js";
import type { SessionPatch, SessionState } from "../session/state.js";
import { SESSION_CHANNEL } from "./channel-name.js";
import { ThreadImage } from "./thread/image.js";

export interface LoadedSession {
  record: SessionRecord;
  state: SessionState;
  /** Arrivals waiting, held ones included. */
  queued: number;
}

/** Null for a session without a record. @throws {CheckpointCorruptError} when what is stored cannot be read */
export async function loadState(store: SessionStore, sessionId: string): Promise<LoadedSession | null> {
  const read = await store.read(sessionId);
  if (!read) return null;
  const image = new ThreadImage(sessionId, read.thread);
  const patches = image.history("", SESSION_CHANNEL).flatMap((write) => write[2] as SessionPatch[]);
  return { record: read.record, state: applyPatches(emptyState(), patches), queued: read.queued };
}
