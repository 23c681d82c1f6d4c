import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { type TemporaryFolder, temporaryFolder } from "../harness/temporary.js";

const run = promisify(execFile);
const PROCESSES = ["a", "b", "c"];

let folder: TemporaryFolder;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder.remove());

it("S-1 S-3 S-22 S-27 keeps one truth for several processes on one folder", async () => {
  const script = join(import.meta.dirname, "processes.worker.ts");
  const runs = await Promise.all(
    PROCESSES.map((name) => run(process.execPath, ["--import", "tsx", script, folder.dir, name])),
  );
  const done = runs.map(({ stdout }) => JSON.parse(stdout) as Record<"accepted" | "settled" | "increments", number>);
  const sum = (what: "accepted" | "settled" | "increments") => done.reduce((all, one) => all + one[what], 0);

  const store = createSqliteSessionStore({ file: join(folder.dir, "parkway.db") });
  const read = await store.read("s1");
  await store.close();
  const count = await createFilesystemFileStore({ dir: join(folder.dir, "sessions") }).read("s1", "count");
  expect(runs.map(({ stderr }) => stderr)).toEqual(["", "", ""]);
  expect(sum("accepted")).toBe(30 + 3 * 30);
  expect(read).toMatchObject({ queued: 0, record: { acceptedSeq: 120, lease: null, dueAt: null } });
  expect(sum("settled")).toBe(120);
  expect(read?.thread).toHaveLength(120);
  expect(Buffer.from(count?.bytes ?? []).toString()).toBe(String(sum("increments")));
}, 60_000);
