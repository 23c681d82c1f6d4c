/** LangGraph's own suite for savers, over the saver that runs the turns and the embedded store's real file. */
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SessionStore } from "../../lib/session/ports.js";
import { createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import type { ThreadSaver } from "../../lib/turn/thread/saver.js";
import { storeSaver } from "../harness/store-saver.js";
import { temporaryFolder } from "../harness/temporary.js";

// The suite finds vitest's functions as globals.
Object.assign(globalThis, { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it });
const { validate } = await import("@langchain/langgraph-checkpoint-validation");

const open = new Map<ThreadSaver, () => Promise<void>>();

function kept(store: SessionStore, close: () => Promise<void>): ThreadSaver {
  const saver = storeSaver(store);
  open.set(saver, close);
  return saver;
}

const destroyCheckpointer = async (saver: ThreadSaver) => open.get(saver)?.();

validate({
  checkpointerName: "parkway on sqlite",
  createCheckpointer: async () => {
    const folder = temporaryFolder();
    const store = createSqliteSessionStore({ file: join(folder.dir, "parkway.db") });
    return kept(store, async () => {
      await store.close();
      folder.remove();
    });
  },
  destroyCheckpointer,
});

validate({
  checkpointerName: "parkway in memory",
  createCheckpointer: async () => kept(createMemorySessionStore(), async () => {}),
  destroyCheckpointer,
});
