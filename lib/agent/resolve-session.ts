/** Which session a firing belongs to, without running anything (R-22…R-27, H-60, H-61). */
import { randomUUID } from "node:crypto";
import { openingState } from "../machine/index.js";
import type { ArrivalInput } from "../session/arrival.js";
import {
  InvalidSessionPathError,
  SessionNotParkedError,
  SessionNotResumableError,
  SessionStoreIdError,
  UnknownSessionTriggerError,
} from "../session/errors.js";
import { emptyState } from "../session/fold.js";
import {
  parentSessionIdOf,
  parseDottedPath,
  resolveDottedPath,
  sessionIdFromValue,
  sessionIdRejection,
} from "../spec/index.js";
import { loadState } from "../turn/load-state.js";
import type { Assembly, Host } from "../turn/types.js";

export interface Firing {
  trigger?: string;
  variables?: Record<string, unknown>;
  sessionId?: string;
  sessionPath?: string;
  assemblyPath?: string;
}

export interface SessionResolution {
  sessionId: string;
  disposition: "turn" | "resume" | "reply";
  /** For `turn`: where it opens. */
  startState?: string;
  /** For `resume` and `reply`: where the session is parked. */
  state?: string;
  /** The id was minted. */
  native: boolean;
}

export async function resolveSession(host: Host, assembly: Assembly, firing: Firing): Promise<SessionResolution> {
  const trigger = firing.trigger ?? assembly.defaultTrigger;
  const named = namedSession(host, assembly, { ...firing, trigger });
  const sessionId = parsedSessionId(assembly, named ?? `session-${randomUUID()}`);
  const native = named === null;
  refuseChild(sessionId, "turn");
  const { fields } = (await loadState(host.store, sessionId))?.state ?? emptyState();
  const park = fields.park?.state;
  if (fields.status === "awaiting_input")
    return { sessionId, disposition: "resume", ...(park ? { state: park } : {}), native };
  if (fields.status === "awaiting_decision")
    return { sessionId, disposition: "reply", ...(park ? { state: park } : {}), native };
  if (fields.status === "running") throw new SessionNotResumableError(sessionId, "running");
  const opening = openingState(assembly.machine, { position: fields.position, endedAs: fields.endedAs, trigger });
  if ("unknownTrigger" in opening) throw new UnknownSessionTriggerError(trigger, opening.declared);
  return { sessionId, disposition: "turn", startState: opening.state, native };
}

/**
 * The id without leading slashes, which every entrance takes (R-1, H-91, with the mounts of the workspace).
 *
 * @throws {SessionStoreIdError}
 */
export function parsedSessionId(assembly: Assembly, sessionId: string): string {
  const rejection = sessionIdRejection(
    sessionId,
    assembly.tables.mounts.map((mount) => mount.name),
  );
  if (rejection !== null) throw new SessionStoreIdError(sessionId, rejection);
  return sessionId.replace(/^\/+/, "");
}

/** a child is answered through the session that called it. */
export function refuseChild(sessionId: string, kind: ArrivalInput["kind"]): void {
  if (parentSessionIdOf(sessionId) === null) return;
  const root = sessionId.slice(0, sessionId.indexOf("~"));
  const detail = `Session "${sessionId}" is a sub-workflow's and takes no input of its own; answer it through "${root}".`;
  if (kind === "decision" || kind === "reply") throw new SessionNotParkedError(sessionId, null, detail);
  throw new SessionNotResumableError(sessionId, "child", detail);
}

function namedSession(host: Host, assembly: Assembly, firing: Firing & { trigger: string }): string | null {
  if (firing.sessionId !== undefined) return firing.sessionId;
  const path = firing.sessionPath ?? firing.assemblyPath ?? assembly.machine.triggers.get(firing.trigger)?.session;
  if (path === undefined) return null;
  const parsed = parseDottedPath(path);
  if (!parsed.ok) throw new InvalidSessionPathError(path, parsed.reason);
  const id = sessionIdFromValue(resolveDottedPath(path, firing.variables ?? {}));
  if (id !== undefined) return id;
  const message = `The session path "${path}" of the trigger ${firing.trigger} leads nowhere; a new session was named.`;
  host.emitter.emit({ type: "warning", scope: "session-path", message });
  return null;
}
