/** What an agent does with sessions beside their turns (H-75…H-79). */
import { createIntakeSessions, type IntakeHost, loadSession, parsedSessionId } from "../intake/index.js";
import type { Intake } from "../intake/types.js";
import type { Assembly } from "../turn/types.js";
import { fileStoreBackend, seedFiles } from "../workspace/index.js";

/**
 * The sessions of a store, whatever their status (H-75 to H-79). `list`: the latest activity first (H-75). `get`: null
 * for a session that has not run (H-76). `trail`: what happened, in order; empty for a session that has not run.
 * `delete`: false when there was nothing; throws SessionNotResumableError while a turn runs. Children stay unless
 * `children` is set (H-78, S-88).
 */
export interface Sessions extends Readonly<Intake["sessions"]> {
  /** Length of the transcript, 0 when unknown. */
  messageCount(sessionId: string): Promise<number>;
  /** Writes input files before a turn (H-79). */
  seed(sessionId: string, files: Record<string, unknown>): Promise<void>;
}

export function createSessions(host: IntakeHost, assembly: Assembly): Sessions {
  return {
    ...createIntakeSessions(host),
    async messageCount(sessionId) {
      return (await loadSession(host, sessionId))?.state.messages.length ?? 0;
    },
    async seed(sessionId, files) {
      const area = fileStoreBackend(host.files, parsedSessionId(host, sessionId));
      await seedFiles(area, { files, mounts: assembly.tables.mounts });
    },
  };
}
