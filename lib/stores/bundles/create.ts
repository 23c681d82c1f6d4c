/** A session store of its parts. */
import { SessionStoreCapabilityError } from "../../session/errors.js";
import { deleteSession, parseSessionId } from "../../session/index.js";
import type { Backend } from "../../workspace/index.js";
import { systemClock } from "../clock/index.js";
import { PORTS, type SessionStore, type SessionStoreKind, type StorePorts } from "./types.js";

/** @param parts.open - makes the ports, at most once */
export function bundle(parts: {
  kind: SessionStoreKind;
  backend: Backend;
  open(): Promise<StorePorts>;
  capabilities?: SessionStore["capabilities"];
}): SessionStore {
  const { kind, backend, open, capabilities = { list: true, delete: true } } = parts;
  let opened: Promise<StorePorts> | undefined;
  const ports = () => {
    opened ??= open();
    return opened;
  };
  return {
    kind,
    backend,
    capabilities,
    async deleteSession(given) {
      const id = parseSessionId(given);
      if (!capabilities.delete) throw new SessionStoreCapabilityError(kind, "delete");
      const { sessions, files } = await ports();
      return deleteSession({ store: sessions, files }, id, systemClock.now());
    },
    [PORTS]: ports,
  };
}

/** Opens nothing yet. @throws {TypeError} for what no factory of ours has made */
export function requireSessionStore(store: SessionStore): SessionStore {
  const open: unknown = (store as Partial<SessionStore> | null)?.[PORTS];
  if (typeof open === "function") return store;
  throw new TypeError(
    "`workspace.sessionStore` is no session store; make one with createFilesystemSessionStore, createBackendSessionStore, createMemorySessionStore or createAwsSessionStore.",
  );
}

export async function portsOf(store: SessionStore): Promise<StorePorts> {
  return requireSessionStore(store)[PORTS]();
}
