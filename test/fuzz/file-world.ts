/** The known tree of files as real stores, in memory or on disk, and what is in it, byte for byte. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createMemoryFileStore } from "../../lib/stores/memory/index.js";
import {
  type Backend,
  createFilesystemBackend,
  createMemoryBackend,
  createWorkspace,
  fileStoreBackend,
  type Workspace,
} from "../../lib/workspace/index.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import type { ModelWorld } from "./kernel-model.js";
import { AREA_FILES, MOUNTS, OTHER_SESSIONS } from "./worlds.js";

/** Content by `<store>:<path>`; the session's own area is the store `area`. */
export type Contents = Map<string, string>;

export interface FileWorld {
  onDisk: boolean;
  workspace: Workspace;
  snapshot(): Promise<Contents>;
  dispose(): void;
}

/** The content of every file as the world begins; the token tells where a text was read. */
export function firstContents({ mounts }: ModelWorld): Contents {
  const contents: Contents = new Map();
  const put = (address: string) => contents.set(address, `token-${contents.size}. needle\nsecond line\n`);
  for (const path of AREA_FILES) put(`area:${path}`);
  for (const [session, path] of Object.entries(OTHER_SESSIONS)) put(`session ${session}:${path}`);
  for (const { name } of mounts) for (const path of MOUNTS[name]!.files) put(`mount ${name}:${path}`);
  put("outside:secret.txt");
  return contents;
}

export async function memoryWorld(world: ModelWorld): Promise<FileWorld> {
  const first = firstContents(world);
  const files = createMemoryFileStore();
  const sessions = ["s-1", ...Object.keys(OTHER_SESSIONS)];
  for (const session of sessions) {
    for (const [path, text] of of(first, session === "s-1" ? "area" : `session ${session}`)) {
      await files.write(session, path, new TextEncoder().encode(text));
    }
  }
  const backends = new Map(
    world.mounts.map(({ name }) => [name, createMemoryBackend(Object.fromEntries(of(first, `mount ${name}`)))]),
  );
  return {
    onDisk: false,
    workspace: createWorkspace({ area: fileStoreBackend(files, "s-1"), mounts: tableOf(world, backends) }),
    async snapshot() {
      const contents: Contents = new Map([["outside:secret.txt", first.get("outside:secret.txt")!]]);
      for (const session of sessions) {
        for (const { path } of await files.list(session)) {
          const stored = await files.read(session, path);
          contents.set(`${session === "s-1" ? "area" : `session ${session}`}:${path}`, textOf(stored!.bytes));
        }
      }
      for (const [name, backend] of backends) {
        const { files: found = [] } = await backend.glob("**", "/");
        for (const { path, content } of await backend.downloadFiles(found.map((file) => file.path))) {
          contents.set(`mount ${name}:${path.slice(1)}`, textOf(content!));
        }
      }
      return contents;
    },
    dispose() {},
  };
}

/** The same on disk, with links that lead out of the session's area and of a mount (F-97). */
export async function diskWorld(world: ModelWorld): Promise<FileWorld> {
  const folder = temporaryFolder();
  const first = firstContents(world);
  const places = new Map<string, string>([
    ["area", join(folder.dir, "sessions/s-1")],
    ["outside", join(folder.dir, "outside")],
  ]);
  for (const session of Object.keys(OTHER_SESSIONS))
    places.set(`session ${session}`, join(folder.dir, "sessions", session));
  for (const { name } of world.mounts) places.set(`mount ${name}`, join(folder.dir, "mounts", name.replace("/", "_")));
  const files = createFilesystemFileStore({ dir: join(folder.dir, "sessions") });
  // A session owns its area from its first write.
  for (const [session, path] of Object.entries(OTHER_SESSIONS)) await files.write(session, path, new Uint8Array());
  for (const [store, place] of places) writeTree(place, Object.fromEntries(of(first, store)));
  for (const store of ["area", "mount kb"]) {
    const place = places.get(store);
    if (place === undefined) continue;
    mkdirSync(place, { recursive: true });
    symlinkSync(places.get("outside")!, join(place, "out"));
    symlinkSync(join(places.get("outside")!, "secret.txt"), join(place, "out.txt"));
  }
  const backends = new Map(
    world.mounts.map(({ name }) => [name, createFilesystemBackend(places.get(`mount ${name}`)!)]),
  );
  return {
    onDisk: true,
    workspace: createWorkspace({ area: fileStoreBackend(files, "s-1"), mounts: tableOf(world, backends) }),
    async snapshot() {
      const contents: Contents = new Map();
      // The longest place first: one session's folder lies inside another's.
      const sorted = [...places].sort(([, a], [, b]) => b.length - a.length);
      for (const [store, place] of sorted) {
        for (const path of filesBelow(
          place,
          sorted.map(([, other]) => other).filter((other) => other.startsWith(`${place}/`)),
        )) {
          contents.set(`${store}:${path.normalize("NFC")}`, readFileSync(join(place, path), "utf8"));
        }
      }
      return contents;
    },
    dispose: () => folder.remove(),
  };
}

function tableOf(world: ModelWorld, backends: ReadonlyMap<string, Backend>) {
  return Object.fromEntries(
    world.mounts.map(({ name, kind, readOnly, governed, searchable }) => [
      kind === "directory" ? `${name}/` : name,
      { backend: backends.get(name)!, readOnly, governed, ...(kind === "directory" ? { searchable } : {}) },
    ]),
  );
}

function of(contents: Contents, store: string): [path: string, text: string][] {
  return [...contents].flatMap(([address, text]) =>
    address.startsWith(`${store}:`) ? [[address.slice(store.length + 1), text]] : [],
  );
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Files below a folder, links left alone. */
function filesBelow(folder: string, without: readonly string[], prefix = ""): string[] {
  if (without.includes(folder) || statSync(folder, { throwIfNoEntry: false }) === undefined) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = prefix + entry.name;
    if (entry.isDirectory()) return filesBelow(join(folder, entry.name), without, `${path}/`);
    return entry.isFile() ? [path] : [];
  });
}

export function parentOf(path: string): string {
  const parent = dirname(path);
  return parent === "." ? "" : parent;
}
