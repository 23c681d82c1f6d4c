/** A function's asset in a fresh process on one processor: its size, and how long it takes to load and to get to work. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { deflateRawSync } from "node:zlib";
import type { Metafile } from "esbuild";

const TASKSET = "/usr/bin/taskset";
const PINNED = existsSync(TASKSET) ? [TASKSET, "-c", "0"] : [];

/** Instants are epoch milliseconds, so that other processes can be asked what they saw when. */
const CHILD = `
  const [, url, event] = process.argv;
  const instant = () => performance.timeOrigin + performance.now();
  const told = { startedAt: instant() };
  const before = process.cpuUsage();
  const { handler } = await import(url);
  told.loadedAt = instant();
  const { user, system } = process.cpuUsage(before);
  told.cpuMs = (user + system) / 1000;
  console.log(JSON.stringify(told));
  if (event) {
    const context = { awsRequestId: "bench", functionName: "bench", getRemainingTimeInMillis: () => 900_000 };
    console.log(JSON.stringify(await handler(JSON.parse(event), context)) ?? "null");
    console.log(instant());
  }
  process.exit(0);`;

export interface Loaded {
  startedAt: number;
  loadedAt: number;
  /** Of all threads while it loaded. */
  cpuMs: number;
}

export interface FreshProcess {
  loaded: Loaded;
  /** Of the invocation, once it has returned: what it answered, and when. */
  answered: Promise<{ answer: unknown; at: number }>;
  kill(): void;
}

/** @param given.event - invokes the handler with it; without it the process ends when the asset is loaded */
export async function startAsset(
  file: string,
  given: { env: Record<string, string>; event?: object },
): Promise<FreshProcess> {
  const args = ["--input-type=module", "-e", CHILD, pathToFileURL(file).href];
  const [command = "", ...all] = [...PINNED, process.execPath, ...args];
  const event = given.event ? [JSON.stringify(given.event)] : [];
  const child = spawn(command, [...all, ...event], { env: given.env, stdio: ["ignore", "pipe", "inherit"] });
  const lines = linesOf(child);
  return {
    loaded: JSON.parse(await lines.next()) as Loaded,
    answered: (async () => ({ answer: JSON.parse(await lines.next()) as unknown, at: Number(await lines.next()) }))(),
    kill: () => void child.kill("SIGKILL"),
  };
}

/** What the process itself prints; a function's log lines are objects with a level. */
function linesOf(child: ChildProcess) {
  const waiting: string[] = [];
  const reader = createInterface({ input: child.stdout! });
  reader.on("line", (line) => {
    if (!/^\{"(?:level|_aws)"/.test(line)) waiting.push(line);
  });
  return {
    async next(): Promise<string> {
      while (waiting.length === 0) await once(reader, "line");
      return waiting.shift() ?? "";
    },
  };
}

/** Bytes of the folder as a zip archive. */
export function zippedBytes(dir: string): number {
  const files = readdirSync(dir, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, entry) => {
    const path = join(entry.parentPath, entry.name);
    // A local header and a line of the directory at the end, both with the name.
    const headers = 30 + 46 + 2 * Buffer.byteLength(path.slice(dir.length + 1));
    return sum + headers + deflateRawSync(readFileSync(path), { level: 9 }).length;
  }, 22);
}

/** Bytes of the files that are read while the entry loads; the rest is imported when it is needed. */
export function startBytes({ outputs }: Metafile): number {
  const entry = Object.keys(outputs).find((path) => path.endsWith("/index.mjs")) ?? "";
  const chunks = new Set([entry]);
  for (const path of chunks) {
    for (const { kind, path: imported } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement" && outputs[imported]) chunks.add(imported);
    }
  }
  return [...chunks].reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0);
}
