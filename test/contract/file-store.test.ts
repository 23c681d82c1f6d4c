import { join } from "node:path";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createMemoryFileStore } from "../../lib/stores/memory/index.js";
import { temporaryFolder } from "../harness/temporary.js";
import { fileStoreContract } from "./file-store.contract.js";

fileStoreContract("memory", async () => {
  const files = createMemoryFileStore();
  return { open: () => files, dispose: async () => {} };
});

fileStoreContract("filesystem", async () => {
  const folder = temporaryFolder();
  return {
    open: () => createFilesystemFileStore({ dir: join(folder.dir, "sessions") }),
    dispose: async () => folder.remove(),
  };
});
