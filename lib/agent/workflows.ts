/** An agent's workflows as they stand: an edit is adopted by the next turn (R-32, W-34, W-52). */
import { createLatest, loadMachine, workflowText } from "../intake/index.js";
import type { InheritedDenials } from "../kernel/types.js";
import type { Machine } from "../machine/types.js";
import type { Emitter } from "../turn/emitter.js";
import type { Assembly } from "../turn/types.js";
import type { Composer } from "./assembly.js";

export interface Workflows {
  /**
   * The workflow composed from its present text; the same object as long as the text is the same. An edit that cannot be
   * loaded is not in force: what was composed last goes on, with a warning. @throws where nothing was ever composed
   */
  current(workflow: string): Promise<Assembly>;
  /** The same for children under the denials of their callers, outermost first: one for each workflow and chain. */
  child(workflow: string, inherited: readonly InheritedDenials[]): Promise<Assembly>;
  /** The machine of the present text itself. @throws where it cannot be loaded */
  machineOf(workflow: string): Promise<Machine>;
}

export function createWorkflows(composer: Composer, emitter: Emitter): Workflows {
  const latest = (inherited?: readonly InheritedDenials[]) =>
    createLatest<Assembly>({
      text: composer.text,
      make: (workflow) => composer.compose(workflow, inherited),
      warn: (message) => emitter.emit({ type: "warning", scope: "workflow", message }),
    });
  const chains = new Map<string, (workflow: string) => Promise<Assembly>>();
  const machines = new Map<string, { text: string; machine: Promise<Machine> }>();
  return {
    current: latest(),
    child(workflow, inherited) {
      const key = JSON.stringify(inherited.map((caller) => [caller.workflow, caller.machine.specHash]));
      const made = chains.get(key) ?? latest(inherited);
      chains.set(key, made);
      return made(workflow);
    },
    async machineOf(workflow) {
      const text = await workflowText(composer.authoring, workflow);
      const known = machines.get(workflow);
      if (known?.text === text) return known.machine;
      const machine = loadMachine(composer.authoring, workflow);
      machines.set(workflow, { text, machine });
      return machine;
    },
  };
}
