/** The authored documents of this repository, to be mutated. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = new URL("../..", import.meta.url).pathname;

export const SPECS: readonly string[] = textsOf(["workflows/*/workflow.yaml", "test/**/workflow.yaml"]);
export const CASES: readonly string[] = textsOf(["workflows/*/tests/*.yaml", "test/fixtures/**/tests/*.yaml"]);

function textsOf(patterns: readonly string[]): string[] {
  const files = globSync([...patterns], { cwd: ROOT, exclude: ["**/node_modules"] }).sort();
  return files.map((file) => readFileSync(join(ROOT, file), "utf8"));
}
