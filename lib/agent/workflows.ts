/** An agent's workflows as they stand: an edit is adopted by the next turn (R-32, W-34, W-52). */
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

interface Composed {
  text: string;
  assembly: Assembly;
}

export function createWorkflows(composer: Composer, emitter: Emitter): Workflows {
  const composed = new Map<string, Promise<Composed>>();

  async function next(workflow: string, last: Promise<Composed> | undefined): Promise<Composed> {
    const known = await last?.catch(() => undefined);
    const text = await composer.text(workflow);
    if (known?.text === text) return known;
    try {
      return { text, assembly: await composer.compose(workflow) };
    } catch (error) {
      if (!known) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      emitter.emit({
        type: "warning",
        scope: "workflow",
        message: `The edit of "${workflow}" is not in force: ${reason}`,
      });
      return { text, assembly: known.assembly };
    }
  }

  return {
    async current(workflow) {
      const entry = next(workflow, composed.get(workflow));
      composed.set(workflow, entry);
      return (await entry).assembly;
    },
  };
}
