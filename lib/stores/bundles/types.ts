/** What a host passes as `workspace.sessionStore`: implemented ports in one piece, made by a factory (H-88). */
import type { FileStore, SessionStore as SessionPort } from "../../session/ports.js";
import type { Backend } from "../../workspace/index.js";

export type SessionStoreKind = "filesystem" | "backend" | "memory" | "aws";

/** The ports behind a session store. */
export interface StorePorts {
  sessions: SessionPort;
  files: FileStore;
}

/** The key of what only the runtime asks for. */
export const PORTS: unique symbol = Symbol("parkway.ports");

/** Where sessions are kept, as `workspace.sessionStore` takes it; made by one of the store factories (H-88). */
export interface SessionStore {
  readonly kind: SessionStoreKind;
  /**
   * The files of all sessions: a session's `<path>` is `/<sessionId>/<path>` here (H-89). For a host's own reading; what a
   * running turn writes is the turn's.
   */
  readonly backend: Backend;
  readonly capabilities: { readonly list: boolean; readonly delete: boolean };
  /**
   * Removes everything the session owns; false where there was nothing.
   *
   * @throws {SessionBusyError} while a turn runs @throws {SessionStoreCapabilityError} where the store cannot delete
   */
  deleteSession(id: string): Promise<boolean>;
  /** Opened at the first call; the same every time. */
  readonly [PORTS]: () => Promise<StorePorts>;
}
