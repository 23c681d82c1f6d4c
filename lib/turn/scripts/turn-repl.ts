/** The REPL of one leg: opened by its first evaluation, closed when the leg ends (R-253, S-48). */
import type { Repl, Sandbox } from "../../sandbox/types.js";

export class TurnRepl {
  /** What the leg's latest evaluation has left; undefined before the first. */
  holdsNames: boolean | undefined;
  /** The invocation has ended inside an evaluation: none after it may come before it (S-51, S-55). */
  isCutOff = false;
  private repl: Repl | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private isLeft = false;
  private isOver = false;

  constructor(private readonly sandbox: Sandbox) {}

  /**
   * Works one after the other, in the order of the calls: a later script sees what an earlier one has left behind. Once
   * one of them is null, left to the next invocation, the later ones are too.
   */
  inOrder<Result>(work: (repl: Repl) => Promise<Result | null>): Promise<Result | null> {
    const begin = async () => {
      if (this.isOver) throw new Error("The leg is over.");
      if (this.isLeft) return null;
      this.repl ??= this.sandbox.openRepl();
      const result = await work(this.repl);
      this.isLeft = result === null;
      return result;
    };
    const result = this.last.then(begin, begin);
    this.last = result.catch(() => undefined);
    return result;
  }

  /** Stops an evaluation that is still under way. */
  async close(): Promise<void> {
    this.isOver = true;
    await this.repl?.close();
  }
}
