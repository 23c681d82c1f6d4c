/** Skill bundles: which there are, and what each says of itself (W-219, W-220, A-67). */
import { parse } from "yaml";
import { isSlug } from "../spec/index.js";
import { joinPath, treePath } from "./paths.js";
import type { Backend } from "./types.js";

/** What is wrong with a bundle. `unloadable` and `shadowed` mean that it is not served. */
export interface SkillProblem {
  code: "unloadable" | "name-mismatch" | "non-slug-dir" | "shadowed";
  /** Of an unloadable bundle. */
  reason?: "missing-description" | "malformed-frontmatter" | "over-limit" | "unreadable";
  message: string;
}

export interface SkillEntry {
  /** The directory's name. */
  slug: string;
  /** As given, `skills/`. */
  source: string;
  /** Path of its `SKILL.md`, without a leading slash. */
  file: string;
  /** Empty when the bundle cannot be loaded. */
  description: string;
  /** False: the bundle does not exist for agents. */
  served: boolean;
  problems: SkillProblem[];
}

/** H-23. */
export const DEFAULT_SKILL_SOURCES: readonly string[] = ["skills/"];

const MAX_DESCRIPTION_CHARS = 1024;
const MAX_NAME_CHARS = 64;

/**
 * Every bundle of the sources, served or not, in source order and by slug within one. A source that serves nothing is
 * no error (H-23). Of a slug in two sources the later one is served.
 *
 * @param files - the workspace, or any backend that holds the sources
 */
export async function listSkills(files: Backend, sources: readonly string[]): Promise<SkillEntry[]> {
  const entries: SkillEntry[] = [];
  for (const source of sources) {
    const canonical = treePath(source);
    if ("problem" in canonical) continue;
    const listed = await files.ls(canonical.path);
    for (const { path, isDir } of listed.files ?? []) {
      if (isDir) entries.push(await readSkill(files, { source, directory: path.replace(/\/$/, "") }));
    }
  }
  return entries.map((entry, index) => shadowing(entry, entries.slice(index + 1)));
}

async function readSkill(files: Backend, { source, directory }: { source: string; directory: string }) {
  const slug = directory.slice(directory.lastIndexOf("/") + 1);
  const path = joinPath(directory, "SKILL.md");
  const entry: SkillEntry = { slug, source, file: path.slice(1), description: "", served: true, problems: [] };
  if (!isSlug(slug)) {
    entry.problems.push({
      code: "non-slug-dir",
      message: `The directory name "${slug}" is no slug (lower-case words joined by hyphens), so no list can name it.`,
    });
  }
  const { data } = await files.readRaw(path);
  const read = typeof data?.content === "string" ? frontmatter(data.content) : unloadable("unreadable", UNREADABLE);
  if ("code" in read) return { ...entry, served: false, problems: [...entry.problems, read] };
  if (read.name !== undefined && read.name !== slug) {
    entry.problems.push({
      code: "name-mismatch",
      message: `\`name\` is "${read.name}" but the directory is called "${slug}"; the directory's name counts.`,
    });
  }
  return { ...entry, description: read.description };
}

const UNREADABLE = "`SKILL.md` is missing or no text";

function frontmatter(text: string): { name?: string; description: string } | SkillProblem {
  const block = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(text);
  if (!block) return unloadable("malformed-frontmatter", "it does not begin with frontmatter between `---` lines");
  let fields: unknown;
  try {
    fields = parse(block[1]!);
  } catch {
    return unloadable("malformed-frontmatter", "its frontmatter is no YAML");
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    return unloadable("malformed-frontmatter", "its frontmatter is no mapping");
  }
  const name = "name" in fields ? scalar(fields.name) : undefined;
  const description = "description" in fields ? scalar(fields.description) : undefined;
  if (!description) return unloadable("missing-description", "its frontmatter has no `description`");
  if ([...description].length > MAX_DESCRIPTION_CHARS) {
    return unloadable("over-limit", `its \`description\` is longer than ${MAX_DESCRIPTION_CHARS} characters`);
  }
  if (name !== undefined && [...name].length > MAX_NAME_CHARS) {
    return unloadable("over-limit", `its \`name\` is longer than ${MAX_NAME_CHARS} characters`);
  }
  return { ...(name === undefined ? {} : { name }), description };
}

/** Trimmed text of a scalar; undefined for anything else and for null. */
function scalar(value: unknown): string | undefined {
  if (typeof value === "string") return value.trim();
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function unloadable(reason: NonNullable<SkillProblem["reason"]>, why: string): SkillProblem {
  return { code: "unloadable", reason, message: `The skill cannot be loaded: ${why}.` };
}

function shadowing(entry: SkillEntry, later: readonly SkillEntry[]): SkillEntry {
  const winner = later.find((other) => other.slug === entry.slug && other.served);
  if (!winner || !entry.served) return entry;
  const message = `"${entry.slug}" is served by "${winner.source}" too, which comes later and is used.`;
  return { ...entry, served: false, problems: [...entry.problems, { code: "shadowed", message }] };
}
