/** Reading and deleting sessions (H-75…H-79). */
import { SessionBusyError, SessionNotResumableError } from "../session/errors.js";
import { deleteSession } from "../session/index.js";
import { type SessionSummary, summaryOf } from "../session/outcome.js";
import type { SessionFilter } from "../session/ports.js";
import type { TrailStep } from "../session/state.js";
import { loadState } from "../turn/load-state.js";
import type { Assembly, Host } from "../turn/types.js";
import { fileStoreBackend, seedFiles } from "../workspace/index.js";
import { parsedSessionId } from "./resolve-session.js";

export interface Sessions {
  /** The latest activity first (H-75). */
  list(filter?: SessionFilter): Promise<SessionSummary[]>;
  /** Null for a session that has not run (H-76). */
  get(sessionId: string): Promise<SessionSummary | null>;
  /** What happened, in order; empty for a session that has not run. */
  trail(sessionId: string): Promise<readonly TrailStep[]>;
  /** Length of the transcript, 0 when unknown. */
  messageCount(sessionId: string): Promise<number>;
  /** False when there was nothing. @throws {SessionNotResumableError} while a turn runs */
  delete(sessionId: string): Promise<boolean>;
  /** Writes input files before a turn (H-79). */
  seed(sessionId: string, files: Record<string, unknown>): Promise<void>;
}

export function createSessions(host: Host, assembly: Assembly): Sessions {
  const load = (sessionId: string) => loadState(host.store, parsedSessionId(assembly, sessionId));
  return {
    async list(filter) {
      const records = await host.store.list(filter);
      const loaded = await Promise.all(records.map((record) => loadState(host.store, record.sessionId)));
      return loaded.flatMap((session) => {
        const summary = session ? summaryOf(session.record, session.state) : null;
        return summary ? [summary] : [];
      });
    },
    async get(sessionId) {
      const session = await load(sessionId);
      return session ? summaryOf(session.record, session.state, { queued: session.queued }) : null;
    },
    async trail(sessionId) {
      return (await load(sessionId))?.state.trail ?? [];
    },
    async messageCount(sessionId) {
      return (await load(sessionId))?.state.messages.length ?? 0;
    },
    async delete(id) {
      const sessionId = parsedSessionId(assembly, id);
      try {
        return await deleteSession({ store: host.store, files: host.files }, sessionId, host.clock.now());
      } catch (error) {
        if (!(error instanceof SessionBusyError)) throw error;
        throw new SessionNotResumableError(
          sessionId,
          "running",
          `Session "${sessionId}" is in the middle of a turn and was not deleted.`,
        );
      }
    },
    async seed(sessionId, files) {
      const area = fileStoreBackend(host.files, parsedSessionId(assembly, sessionId));
      await seedFiles(area, { files, mounts: assembly.tables.mounts });
    },
  };
}
