/** The stores over a bare backend: one process at a time, whatever the backend has. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { StoreUnavailableError } from "../../lib/session/errors.js";
import { createBackendFileStore } from "../../lib/stores/backend/file-store.js";
import { createBackendSessions } from "../../lib/stores/backend/session-store.js";
import {
  type Backend,
  createFilesystemBackend,
  createMemoryBackend,
  createWorkspace,
  storeBytes,
} from "../../lib/workspace/index.js";
import { withRequiredMethods } from "../harness/backends.js";
import { anAccept } from "../harness/builders.js";
import { temporaryFolder } from "../harness/temporary.js";
import { fileStoreContract } from "./file-store.contract.js";
import { sessionStoreContract } from "./session-store.contract.js";

sessionStoreContract("a backend in memory", async () => {
  const store = createBackendSessions(createMemoryBackend());
  return { open: () => store, dispose: () => store.close() };
});

sessionStoreContract("a folder as a backend", async () => {
  const folder = temporaryFolder();
  const store = createBackendSessions(createFilesystemBackend(join(folder.dir, "sessions")));
  return {
    open: () => store,
    async dispose() {
      await store.close();
      folder.remove();
    },
  };
});

fileStoreContract("a backend in memory", async () => {
  const files = createBackendFileStore(createMemoryBackend());
  return { open: () => files, dispose: async () => {} };
});

fileStoreContract("a folder as a backend", async () => {
  const folder = temporaryFolder();
  const files = createBackendFileStore(createFilesystemBackend(join(folder.dir, "sessions")));
  return { open: () => files, dispose: async () => folder.remove() };
});

describe("sessions on a backend", () => {
  const lease = { owner: "w", now: 0, leaseMs: 60_000 };

  it("H-88 S-1 are there for the next process, inbox, record, thread and receipt", async () => {
    const backend = withRequiredMethods(createMemoryBackend());
    const first = createBackendSessions(backend);
    await first.accept(anAccept({ id: "a1", sessionId: "s/1" }));
    const claim = await first.claim("s/1", lease);
    if (claim.kind !== "claimed") throw new Error(claim.kind);
    await first.commit(claim.lease, { puts: [{ key: "C1", value: "{}" }], removes: [] }, lease);

    const second = createBackendSessions(backend);

    expect(await second.read("s/1")).toEqual(await first.read("s/1"));
    expect(await second.receipt("a1", 0)).toEqual(await first.receipt("a1", 0));
    expect((await second.accept(anAccept({ id: "a1", sessionId: "other" }))).kind).toBe("repeated");
    expect(await second.due(Number.MAX_SAFE_INTEGER, { limit: 10 })).toMatchObject([{ sessionId: "s/1" }]);
  });

  it("H-88 S-94 forget what they could not keep, so that the method can be called again", async () => {
    const backend = createMemoryBackend();
    let fails = false;
    const failing: Backend = {
      ...withRequiredMethods(backend),
      write: async (path, content) => (fails ? { error: "the disk is full" } : backend.write(path, content)),
    };
    const store = createBackendSessions(failing);
    await store.accept(anAccept({ id: "a1", sessionId: "s1" }));
    const before = await store.read("s1");

    fails = true;
    await expect(store.accept(anAccept({ id: "a2", sessionId: "s1" }))).rejects.toThrow(StoreUnavailableError);
    await expect(store.claim("s1", lease)).rejects.toThrow(StoreUnavailableError);
    fails = false;

    expect(await store.read("s1")).toEqual(before);
    expect(await store.receipt("a2", 0)).toBeNull();
    expect(await createBackendSessions(backend).read("s1")).toEqual(before);
    expect((await store.accept(anAccept({ id: "a2", sessionId: "s1" }))).kind).toBe("accepted");
    expect((await store.claim("s1", lease)).kind).toBe("claimed");
  });

  it.each([true, false])(
    "S-94 S-59 find due what a write that failed has put out of memory (can list: %s)",
    async (canList) => {
      const backend = createMemoryBackend();
      let fails = false;
      const store = createBackendSessions(
        {
          ...backend,
          uploadFiles: async (files) => (fails ? Promise.reject(new Error("full")) : backend.uploadFiles(files)),
        },
        { canList },
      );
      await store.accept(anAccept({ id: "a1", sessionId: "s1" }));
      const due = await store.due(Number.MAX_SAFE_INTEGER, { limit: 10 });

      fails = true;
      await expect(store.claim("s1", lease)).rejects.toThrow(StoreUnavailableError);
      fails = false;

      expect(due).toMatchObject([{ sessionId: "s1" }]);
      expect(await store.due(Number.MAX_SAFE_INTEGER, { limit: 10 })).toEqual(due);
    },
  );

  it.each([true, false])(
    "R-308 let go of a session and its children, and load them again for whoever asks (can list: %s)",
    async (canList) => {
      const backend = createMemoryBackend();
      const read: string[] = [];
      const store = createBackendSessions(
        { ...backend, downloadFiles: (paths) => backend.downloadFiles(paths.filter((path) => read.push(path))) },
        { canList },
      );
      await store.accept(anAccept({ id: "a1", sessionId: "s1" }));
      await store.accept(anAccept({ id: "b1", sessionId: "s10" }));
      const claim = await store.claim("s1", lease);
      if (claim.kind !== "claimed") throw new Error(claim.kind);
      await store.claimChild(claim.lease, { sessionId: "s1~1", workflow: "w", now: 0 } as never);
      const before = [await store.read("s1"), await store.read("s1~1"), await store.read("s10")];
      const due = await store.due(Number.MAX_SAFE_INTEGER, { limit: 10 });

      read.length = 0;
      await Promise.all([store.forget?.("s1"), store.forget?.("s1"), store.forget?.("unknown")]);

      expect(await store.due(Number.MAX_SAFE_INTEGER, { limit: 10 })).toEqual(due);
      expect(read).toHaveLength(2);
      await store.forget?.("s1");
      expect((await store.accept(anAccept({ id: "a1", sessionId: "other" }))).kind).toBe("repeated");
      expect([await store.read("s1"), await store.read("s1~1"), await store.read("s10")]).toEqual(before);
      await store.forget?.("s1");
      // Whoever works on it goes on.
      await expect(store.commit(claim.lease, { puts: [], removes: [] }, lease)).resolves.toEqual({ cancelled: false });
    },
  );

  it("H-88 find nothing that they were not told of where the backend cannot list, and keep all the same", async () => {
    const backend: Backend = {
      ...createMemoryBackend(),
      glob: async () => ({ error: "not offered" }),
      ls: async () => ({ error: "not offered" }),
    };
    const first = createBackendSessions(backend, { canList: false });
    await first.accept(anAccept({ id: "a1", sessionId: "s1" }));
    const second = createBackendSessions(backend, { canList: false });

    expect(await second.due(Number.MAX_SAFE_INTEGER, { limit: 10 })).toEqual([]);
    expect((await second.accept(anAccept({ id: "a1", sessionId: "s1" }))).kind).toBe("repeated");
    expect((await second.claim("s1", lease)).kind).toBe("claimed");
  });
});

describe("files on a backend with the required methods alone", () => {
  it("H-84 H-88 are exact, or refused where the store could not keep them; the port says what is lacking", async () => {
    const files = createBackendFileStore(withRequiredMethods(createMemoryBackend()));

    await files.write("s1", "scratchpad/a.txt", new TextEncoder().encode("text\r\n"));
    await files.write("s1", "scratchpad/a.png", new Uint8Array([0, 255]));

    expect(files.lacks).toEqual({ bytes: true, removal: true });
    expect((await files.read("s1", "scratchpad/a.png"))?.bytes).toEqual(new Uint8Array([0, 255]));
    await expect(files.write("s1", "scratchpad/a.bin", new Uint8Array([0xff]))).rejects.toMatchObject({
      code: "invalid-session-path",
    });
    expect((await files.list("s1")).map(({ path }) => path)).toEqual(["scratchpad/a.png", "scratchpad/a.txt"]);
  });
});

describe("any object with the required methods, as the workspace makes use of it", () => {
  const area = () => createWorkspace({ area: withRequiredMethods(createMemoryBackend()), mounts: {} });

  it.each([
    ["ASCII", Uint8Array.from({ length: 128 }, (_, byte) => byte)],
    ["an empty file", new Uint8Array()],
    ["CRLF", new TextEncoder().encode("a\r\nb\r\n")],
    ["a byte order mark", new TextEncoder().encode("\uFEFFtext")],
    ["5 MB", new Uint8Array(5 * 1024 * 1024).fill(97)],
  ])("H-82 j H-84 gives back %s byte for byte", async (_what, bytes) => {
    const files = area();

    expect(await storeBytes(files, "/x.txt", bytes)).toBeNull();

    const [download] = await files.downloadFiles(["/x.txt"]);
    expect(Buffer.compare(download!.content!, bytes)).toBe(0);
  });

  it("H-82 j H-83 holds every byte value under a name that carries base64, and refuses it under any other", async () => {
    const files = area();
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

    expect(await storeBytes(files, "/x.png", bytes)).toBeNull();
    expect(await storeBytes(files, "/x.dat", bytes)).toMatch(/^permission_denied/);

    expect((await files.downloadFiles(["/x.png", "/x.dat"])).map(({ content, error }) => content ?? error)).toEqual([
      bytes,
      "file_not_found",
    ]);
    expect(files.uploadFiles).toBeUndefined();
    expect((await files.delete("/x.png")).error).toMatch(/^permission_denied/);
  });
});
