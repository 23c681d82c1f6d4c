// Declarations of the entries into dist/types/, for who installs the package. `npm run build` and `npm pack` call it; the
// command does not, which needs none.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const target = join(root, "dist", "types");
const aside = `${target}.${process.pid}`;

try {
  const tsc = createRequire(import.meta.url).resolve("typescript/package.json");
  const args = [join(dirname(tsc), "bin/tsc"), "-p", "tsconfig.types.json", "--outDir", aside];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
  removeUnreached();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(dirname(target), { recursive: true });
  renameSync(aside, target);
} finally {
  rmSync(aside, { recursive: true, force: true });
}

/** The compiler writes a declaration for every file that an entry's implementation reaches; its types reach fewer. */
function removeUnreached() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const queue = Object.values(exports).flatMap(({ types }) => (types ? [types.replace("./dist/types", aside)] : []));
  const reached = new Set();
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(resolve(file))) continue;
    reached.add(resolve(file));
    for (const [, specifier] of readFileSync(file, "utf8").matchAll(/(?:from|import)\s*\(?"(\.[^"]+)\.js"/g)) {
      const next = join(dirname(file), `${specifier}.d.ts`);
      if (existsSync(next)) queue.push(next);
    }
  }
  for (const entry of readdirSync(aside, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !reached.has(resolve(file))) rmSync(file);
  }
}
