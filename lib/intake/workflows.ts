/** The workflows of a workspace folder, as an entrance needs them: compiled when first asked for, and kept. */
import { MANUAL_TRIGGER } from "../spec/index.js";
import { createAuthoring, createFilesystemBackend } from "../workspace/index.js";
import { createLatest, workflowText } from "./latest.js";
import { loadMachine } from "./load-machine.js";
import type { IntakeWorkflow, IntakeWorkflows } from "./types.js";

export interface IntakeWorkflowsOptions {
  /** The folder that holds `workflows/`. */
  rootDir: string;
  /** Of a firing that names none, in workflows that declare it; `manual` unless given. */
  defaultTrigger?: string;
  /** True for a deployment, whose files never change: each text is read once. */
  immutable?: boolean;
  /** Told when an edit cannot be loaded and is not in force. */
  warn?(message: string): void;
}

export function createIntakeWorkflows(options: IntakeWorkflowsOptions): IntakeWorkflows {
  const { rootDir, defaultTrigger = MANUAL_TRIGGER, immutable = false, warn = () => {} } = options;
  const authoring = createAuthoring(createFilesystemBackend(rootDir));
  const present = new Set<string>();
  const latest = createLatest<IntakeWorkflow>({
    immutable,
    warn,
    text: (slug) => workflowText(authoring, slug),
    async make(slug) {
      const machine = await loadMachine(authoring, slug);
      const trigger = machine.triggers.has(defaultTrigger) ? defaultTrigger : MANUAL_TRIGGER;
      return { slug, machine, defaultTrigger: trigger };
    },
  });

  /** A folder with either file is a workflow, if perhaps one that cannot be loaded. */
  async function isThere(slug: string): Promise<boolean> {
    if (immutable && present.has(slug)) return true;
    const found = (await authoring.readSpec(slug)) !== null || (await authoring.readAddendum(slug)) !== null;
    if (found) present.add(slug);
    return found;
  }

  return {
    slugs: () => authoring.listWorkflows(),
    find: async (slug) => ((await isThere(slug)) ? latest(slug) : null),
  };
}
