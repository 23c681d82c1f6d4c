/** What importing the package costs before anything of it is called. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildIfStale, entry, ROOT, staticGraph } from "../../api/built.js";
import { median, ms, printTable } from "../report.js";
import { diskFolder } from "../work.js";

/** The first round fills the system's file cache and is dropped. */
const ROUNDS = 16;
const ENTRIES = ["parkway", "parkway/spec", "parkway/messages"];

interface Load {
  wallMs: number;
  cpuMs: number;
}

export async function load(): Promise<void> {
  buildIfStale();
  const empty = join(diskFolder({ "empty.mjs": "export {};" }), "empty.mjs");
  const files: Record<string, string> = {
    "an empty module": empty,
    ...Object.fromEntries(ENTRIES.map((name) => [name, join(ROOT, entry(name).file)])),
  };
  const loads: Record<string, Load[]> = {};
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, file] of Object.entries(files)) {
      const loaded = loadOnce(file);
      if (round > 0) loads[name] = [...(loads[name] ?? []), loaded];
    }
  }
  printTable(`import of an entry in a fresh process, nothing called (${ROUNDS - 1} each, turn about)`, [
    ["", "load ms min", "median", "cpu ms median", "files", "bundled KB"],
    ...Object.entries(files).map(([name, file]) => {
      const times = loads[name] ?? [];
      const graph = name.startsWith("parkway") ? staticGraph(file.slice(ROOT.length)).files : [];
      return [
        name,
        ms(Math.min(...times.map(({ wallMs }) => wallMs))),
        ms(median(times.map(({ wallMs }) => wallMs))),
        ms(median(times.map(({ cpuMs }) => cpuMs))),
        graph.length > 0 ? String(graph.length) : "",
        graph.length > 0 ? kilobytes(graph) : "",
      ];
    }),
  ]);
}

/** From the `import` on, so that Node's own start is in neither. */
function loadOnce(file: string): Load {
  const program = `
    const cpu = process.cpuUsage(), from = performance.now();
    await import(${JSON.stringify(pathToFileURL(file).href)});
    const wallMs = performance.now() - from, { user, system } = process.cpuUsage(cpu);
    console.log(JSON.stringify({ wallMs, cpuMs: (user + system) / 1000 }));`;
  const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], {
    encoding: "utf8",
    env: { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: "1" },
  });
  if (stdout === "") throw new Error(`${file} did not load:\n${stderr}`);
  return JSON.parse(stdout) as Load;
}

function kilobytes(files: readonly string[]): string {
  return (files.reduce((sum, file) => sum + statSync(file).size, 0) / 1024).toFixed(0);
}
