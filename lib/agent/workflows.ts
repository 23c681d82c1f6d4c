/** An agent's workflows as they stand: an edit is adopted by the next turn (R-32, W-34, W-52). */
import { createLatest } from "../intake/index.js";
import type { Emitter } from "../turn/emitter.js";
import type { Assembly } from "../turn/types.js";
import type { Composer } from "./assembly.js";

export interface Workflows {
  /**
   * The workflow composed from its present text; the same object as long as the text is the same. An edit that cannot be
   * loaded is not in force: what was composed last goes on, with a warning. @throws where nothing was ever composed
   */
  current(workflow: string): Promise<Assembly>;
}

export function createWorkflows(composer: Composer, emitter: Emitter): Workflows {
  const current = createLatest<Assembly>({
    text: composer.text,
    make: composer.compose,
    warn: (message) => emitter.emit({ type: "warning", scope: "workflow", message }),
  });
  return { current };
}
