/** What to say about a key its block does not define: a removed key's migration, or the nearest accepted key (W-16, W-17). */
import type { DiagnosticCode } from "./diagnostic-codes.js";
import { type DocumentPath, type Finding, nearest } from "./diagnostics.js";
import { own } from "./own.js";
import { REMOVED_KEYS, type RemovedKey } from "./removed-keys.js";
import {
  mountGrantSchema,
  rootMountsSchema,
  rootSkillsSchema,
  rootToolsSchema,
  stateMountsSchema,
  stateSkillsSchema,
  stateToolsSchema,
  toolEntrySchema,
} from "./schema-governance.js";
import {
  judgeOptionsSchema,
  judgeSchema,
  promptCacheSchema,
  rootSchema,
  runtimeSchema,
  settingsSchema,
  testsSchema,
} from "./schema-root.js";
import { signatureEntrySchema } from "./schema-signature.js";
import { budgetSchema, stateSchema, transitionSchema } from "./schema-state.js";

interface Block {
  code: DiagnosticCode;
  accepted: string[];
  removed?: Readonly<Record<string, RemovedKey>>;
}

/** Reports one key of the mapping at `path`. */
export function unknownKeyFinding(path: DocumentPath, key: string): Finding {
  const keyPath = [...path, key];
  const block = blockAt(path);
  const removed = own(block.removed, key);
  if (removed) {
    const message = `"${keyPath.join(".")}" is no longer read. Use instead: ${removed.instead}.`;
    return { code: removed.code, path: keyPath, message, hint: removed.instead };
  }
  const meant = nearest(key, block.accepted);
  const suggestion = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  const message = `"${keyPath.join(".")}" is not a key of this block.${suggestion} It accepts: ${block.accepted.join(", ")}.`;
  return { code: block.code, path: keyPath, message, ...(meant !== undefined && { hint: `Write "${meant}".` }) };
}

function blockAt(path: DocumentPath): Block {
  if (path[0] !== "states") return ROOT_BLOCKS.find(({ at }) => matches(at, path))?.block ?? STATE;
  return STATE_BLOCKS.find(({ at }) => matches(at, path.slice(2)))?.block ?? STATE;
}

const keysOf = (schema: { shape: object }): string[] => Object.keys(schema.shape);

/** Keys of the mapping among the branches of an entry. */
const entryKeys = (union: { options: readonly unknown[] }): string[] =>
  keysOf(union.options.find((option) => "shape" in (option as object)) as { shape: object });

const STATE: Block = { code: "state/unknown-key", accepted: keysOf(stateSchema), removed: REMOVED_KEYS.state };
const TOOL_ENTRY: Block = { code: "tools/unknown-key", accepted: entryKeys(toolEntrySchema("grant")) };
const MOUNT_ENTRY: Block = { code: "mounts/unknown-key", accepted: entryKeys(mountGrantSchema) };

type Place = { at: string; block: Block };

/** `*` stands for any one segment. */
const ROOT_BLOCKS: Place[] = [
  { at: "", block: { code: "root/unknown-key", accepted: keysOf(rootSchema), removed: REMOVED_KEYS.root } },
  { at: "runtime", block: { code: "runtime/unknown-key", accepted: keysOf(runtimeSchema) } },
  {
    at: "settings",
    block: { code: "settings/unknown-key", accepted: keysOf(settingsSchema), removed: REMOVED_KEYS.settings },
  },
  { at: "settings.prompt_cache", block: { code: "settings/unknown-key", accepted: keysOf(promptCacheSchema) } },
  { at: "tests", block: { code: "tests/unknown-key", accepted: keysOf(testsSchema) } },
  { at: "tests.judge", block: { code: "tests/unknown-key", accepted: keysOf(judgeSchema) } },
  { at: "tests.judge.modelOptions", block: { code: "tests/unknown-key", accepted: keysOf(judgeOptionsSchema) } },
  { at: "tools", block: { code: "tools/unknown-key", accepted: keysOf(rootToolsSchema) } },
  { at: "tools.*.*", block: TOOL_ENTRY },
  {
    at: "skills",
    block: { code: "skills/unknown-key", accepted: keysOf(rootSkillsSchema), removed: REMOVED_KEYS.rootSkills },
  },
  {
    at: "mounts",
    block: { code: "mounts/unknown-key", accepted: keysOf(rootMountsSchema), removed: REMOVED_KEYS.rootMounts },
  },
  { at: "mounts.*.*", block: MOUNT_ENTRY },
];

/** Below `states.<slug>`. */
const STATE_BLOCKS: Place[] = [
  { at: "", block: STATE },
  {
    at: "transitions.*",
    block: { code: "transition/unknown-key", accepted: keysOf(transitionSchema), removed: REMOVED_KEYS.transition },
  },
  { at: "budget", block: { code: "budget/unknown-key", accepted: keysOf(budgetSchema) } },
  { at: "tools", block: { code: "tools/unknown-key", accepted: keysOf(stateToolsSchema) } },
  { at: "tools.*.*", block: TOOL_ENTRY },
  { at: "skills", block: { code: "skills/unknown-key", accepted: keysOf(stateSkillsSchema) } },
  { at: "mounts", block: { code: "mounts/unknown-key", accepted: keysOf(stateMountsSchema) } },
  { at: "mounts.*.*", block: MOUNT_ENTRY },
  { at: "triggers.*.*.*", block: { code: "signature/unknown-key", accepted: keysOf(signatureEntrySchema) } },
];

function matches(at: string, path: DocumentPath): boolean {
  const pattern = at === "" ? [] : at.split(".");
  return pattern.length === path.length && pattern.every((segment, i) => segment === "*" || segment === path[i]);
}
