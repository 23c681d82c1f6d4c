/** Work on the same things one after the other, in the order in which it was asked for. */
export function inTurns(): <Result>(keys: readonly string[], work: () => Promise<Result>) => Promise<Result> {
  const tails = new Map<string, Promise<unknown>>();
  return <Result>(keys: readonly string[], work: () => Promise<Result>): Promise<Result> => {
    // All places are taken at once, so no two wait for each other.
    const before = Promise.all(keys.map((key) => tails.get(key)));
    const run = before.then(work);
    const ended = run.then(
      () => undefined,
      () => undefined,
    );
    for (const key of keys) tails.set(key, ended);
    void ended.then(() => {
      for (const key of keys) if (tails.get(key) === ended) tails.delete(key);
    });
    return run;
  };
}
