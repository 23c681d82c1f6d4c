/** Where the cases of the bundled workflows get their replies from when they are recorded. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

export const REPOSITORY = join(import.meta.dirname, "..", "..");

export const BUNDLED = readdirSync(join(REPOSITORY, "workflows")).sort();

/** The environment in which `parkway test <slug> --record` asks the scripted replies beside the cases. */
export function repliesOf(slug: string): Record<string, string> {
  const file = `workflows/${slug}/tests/replies.yaml`;
  return existsSync(join(REPOSITORY, file)) ? { ARCHMAX_MODEL: `script:${file}` } : {};
}
