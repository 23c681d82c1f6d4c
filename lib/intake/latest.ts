/** What is made from a workflow's text, made anew when the text has changed (R-32, W-34, W-52). */

export interface LatestOptions<Made> {
  /** What it is made from, to tell whether it has changed. */
  text(workflow: string): Promise<string>;
  make(workflow: string): Promise<Made>;
  /** Told when an edit is not in force. */
  warn(message: string): void;
  /** True: the text never changes, so it is read once. */
  immutable?: boolean;
}

/**
 * The same object as long as the text is the same. An edit that cannot be made into anything is not in force: what was
 * made last goes on, with a warning. @throws where nothing was ever made
 */
export function createLatest<Made>(options: LatestOptions<Made>): (workflow: string) => Promise<Made> {
  interface Entry {
    text: string;
    made: Made;
  }
  /** The newest look at each workflow; looks are made one after another. */
  const entries = new Map<string, Promise<Entry>>();
  /** One that has not begun to read: whoever asks meanwhile is answered by it, and never by an older text than they could know of. */
  const waiting = new Map<string, Promise<Entry>>();

  async function next(workflow: string, last: Promise<Entry> | undefined): Promise<Entry> {
    const known = await last?.catch(() => undefined);
    waiting.delete(workflow);
    if (known && options.immutable) return known;
    const text = await options.text(workflow);
    if (known?.text === text) return known;
    try {
      return { text, made: await options.make(workflow) };
    } catch (error) {
      if (!known) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      options.warn(`The edit of "${workflow}" is not in force: ${reason}`);
      return { text, made: known.made };
    }
  }

  return async (workflow) => {
    const entry = waiting.get(workflow) ?? next(workflow, entries.get(workflow));
    entries.set(workflow, entry);
    waiting.set(workflow, entry);
    return (await entry).made;
  };
}

/** The texts that a workflow is loaded from. */
export async function workflowText(
  authoring: { readSpec(slug: string): Promise<string | null>; readAddendum(slug: string): Promise<string | null> },
  workflow: string,
): Promise<string> {
  return JSON.stringify(await Promise.all([authoring.readSpec(workflow), authoring.readAddendum(workflow)]));
}
