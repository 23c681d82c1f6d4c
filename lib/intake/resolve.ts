/** Which session a firing belongs to, without running anything (R-22…R-27, H-60, H-61). */
import { randomUUID } from "node:crypto";
import { openingState } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import type { ArrivalInput } from "../session/arrival.js";
import {
  InvalidSessionPathError,
  SessionNotParkedError,
  SessionNotResumableError,
  SessionStoreIdError,
  UnknownSessionTriggerError,
} from "../session/errors.js";
import { emptyState } from "../session/fold.js";
import { loadState } from "../session/load-state.js";
import {
  parentSessionIdOf,
  parseDottedPath,
  resolveDottedPath,
  sessionIdFromValue,
  sessionIdRejection,
} from "../spec/index.js";
import { defaultMounts, mountInfos } from "../workspace/index.js";
import type { IntakeHost } from "./types.js";

/** What chooses the session of a firing, most specific first (H-60). */
export interface SessionChoice {
  trigger?: string;
  variables?: Record<string, unknown>;
  sessionId?: string;
  sessionPath?: string;
  /** The path of the assembly, where it has one. */
  assemblyPath?: string;
}

/** The session that a firing would reach and what it would do there, found without running anything (H-61). */
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

/** A workflow as far as its sessions are named by it. */
export interface NamingWorkflow {
  machine: Machine;
  defaultTrigger: string;
}

/**
 * The parsed id of the firing's session.
 *
 * @param mint - the id of a firing that names none
 * @throws {SessionStoreIdError} @throws {InvalidSessionPathError}
 */
export function sessionOf(
  host: Pick<IntakeHost, "warn" | "mounts">,
  workflow: NamingWorkflow,
  { mint, ...choice }: SessionChoice & { mint: () => string },
): { sessionId: string; native: boolean } {
  const named = namedSession(host, workflow, choice);
  return { sessionId: parsedSessionId(host, named ?? mint()), native: named === null };
}

export async function resolveSession(
  host: Pick<IntakeHost, "warn" | "mounts" | "store">,
  workflow: NamingWorkflow,
  choice: SessionChoice,
): Promise<SessionResolution> {
  const { sessionId, native } = sessionOf(host, workflow, { ...choice, mint: () => `session-${randomUUID()}` });
  refuseChild(sessionId, "turn");
  const { fields } = (await loadState(host.store, sessionId))?.state ?? emptyState();
  const park = fields.park?.state;
  if (fields.status === "awaiting_input")
    return { sessionId, disposition: "resume", ...(park ? { state: park } : {}), native };
  if (fields.status === "awaiting_decision")
    return { sessionId, disposition: "reply", ...(park ? { state: park } : {}), native };
  if (fields.status === "running") throw new SessionNotResumableError(sessionId, "running");
  const trigger = choice.trigger ?? workflow.defaultTrigger;
  const opening = openingState(workflow.machine, { position: fields.position, endedAs: fields.endedAs, trigger });
  if ("unknownTrigger" in opening) throw new UnknownSessionTriggerError(trigger, opening.declared);
  return { sessionId, disposition: "turn", startState: opening.state, native };
}

let workspaceMounts: string[] | undefined;

/**
 * The id without leading slashes, which every entrance takes (R-1, H-91, with the mounts of the workspace).
 *
 * @throws {SessionStoreIdError}
 */
export function parsedSessionId({ mounts }: Pick<IntakeHost, "mounts">, sessionId: string): string {
  workspaceMounts ??= mountInfos(defaultMounts(".")).map((mount) => mount.name);
  const rejection = sessionIdRejection(sessionId, mounts ?? workspaceMounts);
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

function namedSession(host: Pick<IntakeHost, "warn">, workflow: NamingWorkflow, choice: SessionChoice): string | null {
  if (choice.sessionId !== undefined) return choice.sessionId;
  const trigger = choice.trigger ?? workflow.defaultTrigger;
  const path = choice.sessionPath ?? choice.assemblyPath ?? workflow.machine.triggers.get(trigger)?.session;
  if (path === undefined) return null;
  const parsed = parseDottedPath(path);
  if (!parsed.ok) throw new InvalidSessionPathError(path, parsed.reason);
  const id = sessionIdFromValue(resolveDottedPath(path, choice.variables ?? {}));
  if (id !== undefined) return id;
  host.warn(`The session path "${path}" of the trigger ${trigger} leads nowhere; a new session was named.`);
  return null;
}
