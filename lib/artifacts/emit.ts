/** Writing a session's run artifacts (H-107, R-304). */
import { compileMachine } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import { UnknownSessionError } from "../session/errors.js";
import { applyPatches, emptyState } from "../session/fold.js";
import type { FileStore, SessionStore } from "../session/ports.js";
import type { SessionRecord } from "../session/record.js";
import type { SessionPatch, TrailStep } from "../session/state.js";
import { committedPatches } from "../session/thread/committed.js";
import { runArtifactPaths, specPath } from "../spec/index.js";
import type { WorkflowSpec } from "../spec/types.js";
import { runDocuments } from "./documents.js";
import { trajectoryOf } from "./trajectory.js";
import type { Trajectory } from "./types.js";

export interface ArtifactHost {
  store: Pick<SessionStore, "read">;
  files: Pick<FileStore, "readShared" | "write" | "remove">;
  packageVersion: string;
  /** The workflow as it stands, for a session whose spec was not kept. */
  machineOf(workflow: string): Promise<Machine>;
  warn(message: string): void;
}

/** As `Trajectory`; a host that recorded one need not say whose it is. */
export type GivenTrajectory = Omit<Trajectory, "sessionId"> & { sessionId?: string };

/**
 * Writes the files under `<sessionId>/artifacts/`, each of them whole, so that doing it again replaces them. What they say
 * comes from what is committed: a turn that is under way elsewhere is neither waited for nor disturbed.
 *
 * @param sessionId - parsed
 * @returns the directory's store address; null, with a warning, when something could not be read or written
 */
export async function emitRunArtifacts(
  host: ArtifactHost,
  sessionId: string,
  given: { trajectory?: GivenTrajectory; trail?: readonly TrailStep[] } = {},
): Promise<string | null> {
  try {
    return await write(host, sessionId, given);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    host.warn(`The run artifacts of ${sessionId} were not written: ${reason}`);
    return null;
  }
}

async function write(
  host: ArtifactHost,
  sessionId: string,
  { trajectory, trail }: { trajectory?: GivenTrajectory; trail?: readonly TrailStep[] },
): Promise<string> {
  const read = await host.store.read(sessionId);
  if (!read) throw new UnknownSessionError(sessionId);
  const { record } = read;
  const session = { sessionId, workflow: record.workflow };
  const patches = journalOf(host, sessionId, read.thread);
  const state = patches && applyPatches(emptyState(), patches);
  const documents = runDocuments({
    session,
    machine: await machineOf(host, record, state?.fields.specHash),
    packageVersion: host.packageVersion,
    usage: state?.usage ?? record.usage,
    state,
    trail: trail ?? state?.trail ?? null,
    trajectory: trajectory ? { ...trajectory, sessionId } : patches && trajectoryOf(session, patches),
  });
  const { dir } = runArtifactPaths(sessionId);
  const area = dir.slice(sessionId.length + 1);
  for (const [name, text] of Object.entries(documents)) {
    await host.files.write(sessionId, `${area}/${name}`, new TextEncoder().encode(text));
  }
  // A session that was deleted meanwhile leaves nothing behind, whichever of the two came last.
  if (!(await host.store.read(sessionId))) {
    for (const name of Object.keys(documents)) await host.files.remove(sessionId, `${area}/${name}`);
    throw new UnknownSessionError(sessionId);
  }
  return dir;
}

/** Null, with a warning, where the checkpoint cannot be read (H-109). */
function journalOf(
  host: ArtifactHost,
  sessionId: string,
  thread: Parameters<typeof committedPatches>[1],
): SessionPatch[] | null {
  try {
    return committedPatches(sessionId, thread);
  } catch (error) {
    host.warn(
      `The checkpoint of ${sessionId} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
    return null;
  }
}

/** The spec the session last ran under, in the form it is kept in: the same in every process, whatever has been edited since. */
async function machineOf(host: ArtifactHost, record: SessionRecord, hash = record.specHash): Promise<Machine> {
  const kept = hash ? await host.files.readShared(specPath(hash)) : null;
  const current = kept === null ? await host.machineOf(record.workflow) : null;
  if (current?.plain) return current;
  const text = current ? current.specJson : new TextDecoder().decode(kept!);
  const spec = JSON.parse(text) as WorkflowSpec;
  const specHash = current?.specHash ?? hash ?? "";
  return compileMachine({ spec, stateOrder: Object.keys(spec.states), specHash, specJson: text }, record.workflow);
}
