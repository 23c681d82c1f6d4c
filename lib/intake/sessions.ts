/** Reading and deleting sessions (H-75…H-78). */
import { CheckpointCorruptError, SessionBusyError, SessionNotResumableError } from "../session/errors.js";
import { emptyState } from "../session/fold.js";
import { deleteSession } from "../session/index.js";
import { type LoadedSession, loadState } from "../session/load-state.js";
import { type SessionSummary, summaryOf } from "../session/outcome.js";
import type { SessionRecord } from "../session/record.js";
import { isChildSessionOf } from "../spec/index.js";
import { parsedSessionId } from "./resolve.js";
import type { Intake, IntakeHost } from "./types.js";

/** Sessions whose whole history is in memory at a time. */
const READ_AT_ONCE = 16;

export function createIntakeSessions(host: IntakeHost): Intake["sessions"] {
  return {
    async list({ parent, ...filter } = {}) {
      const listed = await host.store.list(filter);
      const records = listed.filter(({ sessionId }) => parent === undefined || isChildSessionOf(sessionId, parent));
      const summaries: SessionSummary[] = [];
      for (let at = 0; at < records.length; at += READ_AT_ONCE) {
        const page = records.slice(at, at + READ_AT_ONCE);
        const read = await Promise.all(page.map((record) => summarized(host, record)));
        summaries.push(...read.filter((summary) => summary !== null));
      }
      return summaries;
    },
    async get(sessionId) {
      const session = await loadSession(host, sessionId);
      return session ? summaryOf(session.record, session.state, { queued: session.queued }) : null;
    },
    async trail(sessionId) {
      return (await loadSession(host, sessionId))?.state.trail ?? [];
    },
    async delete(id, options) {
      const sessionId = parsedSessionId(host, id);
      try {
        return await deleteSession({ store: host.store, files: host.files }, sessionId, host.clock.now(), options);
      } catch (error) {
        if (!(error instanceof SessionBusyError)) throw error;
        throw new SessionNotResumableError(sessionId, "running", `${error.message} It was not deleted.`);
      }
    },
  };
}

/** The session of an id as it was given; null for one without a record. @throws {SessionStoreIdError} */
export async function loadSession(host: IntakeHost, sessionId: string): Promise<LoadedSession | null> {
  return loadState(host.store, parsedSessionId(host, sessionId));
}

/** One session that cannot be read back does not hide the others: what its record says is told of it. */
async function summarized(host: IntakeHost, record: SessionRecord): Promise<SessionSummary | null> {
  try {
    const session = await loadState(host.store, record.sessionId);
    return session ? summaryOf(session.record, session.state) : null;
  } catch (error) {
    if (!(error instanceof CheckpointCorruptError)) throw error;
    return summaryOf(record, emptyState());
  }
}
