/** Keys and words that an earlier contract accepted, with what replaces them (W-293). */
import type { DiagnosticCode } from "./diagnostic-codes.js";

export interface RemovedKey {
  code: DiagnosticCode;
  instead: string;
}

const EDITOR: RemovedKey = { code: "removed/editor", instead: "`metadata`" };
const HOOKS: RemovedKey = {
  code: "removed/hooks",
  instead:
    "for `before`, a code state in front (as the entry, or as the target of the incoming transitions); for `after`, a transition to a code or grader state that advances onward or back",
};
const PARALLEL: RemovedKey = {
  code: "removed/parallel",
  instead: "sequenced transitions; fan out with delegation calls",
};
const ITERATIONS: RemovedKey = {
  code: "removed/iterations",
  instead: "a grader that counts its earlier send-backs on the trail and raises",
};

export const REMOVED_KEYS = {
  root: {
    name: { code: "removed/root-name", instead: "`title`" },
    description: { code: "removed/root-description", instead: "`instructions`, rewritten as direction" },
    policy: { code: "removed/policy", instead: "`tools.forbid_always` and `skills.forbid_always`" },
    triggers: { code: "removed/root-triggers", instead: "`triggers` on the state each one enters" },
    budget: {
      code: "removed/root-budget",
      instead: "nothing, since the recursion limit bounds a turn; `budget` on states",
    },
    extensions: { code: "removed/extensions", instead: "code states for custom checks" },
    rubrics: { code: "removed/rubrics", instead: "a grader state" },
    editor: EDITOR,
    variables: { code: "removed/variables", instead: "nothing, since variables are set and not declared" },
  },
  settings: {
    sub_workflows: {
      code: "removed/settings-sub-workflows",
      instead: "nothing, since the bounds of delegation are fixed",
    },
    prompt: { code: "removed/settings-prompt", instead: "nothing, since there is one rendering" },
  },
  rootSkills: { allow: { code: "removed/skills-root-allow", instead: "`skills.allow_always`, or state lists" } },
  rootMounts: { allow: { code: "removed/mounts-root-allow", instead: "`mounts.allow_always`, or state lists" } },
  state: {
    editor: EDITOR,
    before: HOOKS,
    after: HOOKS,
    trigger: { code: "removed/state-trigger", instead: "`triggers: { <id>: }`" },
    workflow: { code: "removed/state-workflow", instead: "`archmax_workflow_<slug>` in `tools.allow`" },
    params: { code: "removed/state-params", instead: "the call's arguments" },
    for_each: { code: "removed/state-for-each", instead: "one call per item" },
    result: { code: "removed/state-result", instead: "`requires` on the calling state" },
    parallel: PARALLEL,
    join: PARALLEL,
    max_iterations: ITERATIONS,
    max_corrections: ITERATIONS,
  },
  transition: {
    on: { code: "removed/transition-on", instead: "nothing, since the resumed state picks its transition" },
  },
} as const satisfies Record<string, Record<string, RemovedKey>>;

/** Words of a state's `type`. */
export const REMOVED_TYPES: Readonly<Record<string, RemovedKey>> = {
  wait: { code: "removed/type-wait", instead: "an agent state that calls `archmax_wait`" },
  trigger: { code: "removed/type-trigger", instead: "`triggers` on the entered state" },
  workflow: { code: "removed/type-workflow", instead: "an agent or code state granted the delegation tool" },
};
