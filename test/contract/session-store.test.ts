import { join } from "node:path";
import type { SessionStore } from "../../lib/session/ports.js";
import { createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { temporaryFolder } from "../harness/temporary.js";
import { sessionStoreContract } from "./session-store.contract.js";

sessionStoreContract("memory", async () => {
  const store = createMemorySessionStore();
  return { open: () => store, dispose: () => store.close() };
});

sessionStoreContract("sqlite", async () => {
  const folder = temporaryFolder();
  const opened: SessionStore[] = [];
  return {
    open() {
      const store = createSqliteSessionStore({ file: join(folder.dir, "nested", "parkway.db") });
      opened.push(store);
      return store;
    },
    async dispose() {
      for (const store of opened) await store.close();
      folder.remove();
    },
  };
});
