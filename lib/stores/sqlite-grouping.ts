/**
 * Writes that are asked for in the same turn of the event loop share one transaction, and with it the wait for the disk:
 * most of a small transaction's time. Each is answered once that transaction is durable.
 */
import type { DatabaseSync } from "node:sqlite";

type Attempt = { result: unknown } | { error: unknown };

interface Waiting {
  work: () => unknown;
  tell(attempt: Attempt): void;
}

export interface WriteGroup {
  /** Runs `work` whole or not at all, whatever becomes of the others. @throws what `work` throws, and what the transaction does */
  write<Result>(work: () => Result): Promise<Result>;
  /** Runs what waits, now. */
  flush(): void;
}

/** @param transact - runs its work in one transaction that is undone where the work throws */
export function createWriteGroup(db: DatabaseSync, transact: <Result>(work: () => Result) => Result): WriteGroup {
  const waiting: Waiting[] = [];

  function flush(): void {
    const group = waiting.splice(0);
    const attempts = group.length > 1 ? allOf(group) : group.map(({ work }) => attempt(() => transact(work)));
    for (const [index, { tell }] of group.entries()) tell(attempts[index]!);
  }

  function allOf(group: readonly Waiting[]): Attempt[] {
    const attempts = attempt(() => transact(() => group.map(({ work }) => inSavepoint(db, work))));
    return "result" in attempts ? (attempts.result as Attempt[]) : group.map(() => attempts);
  }

  return {
    write: <Result>(work: () => Result) =>
      new Promise<Result>((resolve, reject) => {
        const tell = (made: Attempt) => ("error" in made ? reject(made.error) : resolve(made.result as Result));
        waiting.push({ work, tell });
        if (waiting.length === 1) setImmediate(flush);
      }),
    flush,
  };
}

function attempt(work: () => unknown): Attempt {
  try {
    return { result: work() };
  } catch (error) {
    return { error };
  }
}

/** What throws is undone, and the others stay. @throws where the failure has ended the whole transaction */
function inSavepoint(db: DatabaseSync, work: () => unknown): Attempt {
  db.exec("SAVEPOINT one");
  const made = attempt(work);
  if ("error" in made) {
    if (!db.isTransaction) throw made.error;
    db.exec("ROLLBACK TO one");
  }
  db.exec("RELEASE one");
  return made;
}
