/** How a fuzz run is bounded, seeded and told. */
import type * as fc from "fast-check";

/** Inputs of one fuzz: at most `runs`, begun within `timeMs`, drawn from `seed`. */
export interface FuzzRun {
  seed: number;
  runs: number;
  timeMs: number;
}

/** The same few inputs every time. */
export function ordinaryRun(runs: number): FuzzRun {
  return { seed: 20_261_201, runs, timeMs: 20_000 };
}

/**
 * As many new inputs as fit into the time. PARKWAY_FUZZ_SEED repeats a run, PARKWAY_FUZZ_SECONDS gives each fuzz another
 * time.
 */
export function longRun(seconds: number): FuzzRun {
  const seed = Number(process.env.PARKWAY_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
  return { seed, runs: 1_000_000, timeMs: 1_000 * Number(process.env.PARKWAY_FUZZ_SECONDS ?? seconds) };
}

/** A failure names seed and path of the smallest input; running out of time is the end of the run, not a failure. */
export function parametersOf<T>({ seed, runs, timeMs }: FuzzRun): fc.Parameters<T> {
  return { seed, numRuns: runs, interruptAfterTimeLimit: timeMs, markInterruptAsFailure: false };
}

/** What happened, by name, in the order of first mention. */
export class Counts {
  readonly #counts = new Map<string, number>();

  constructor(
    private readonly fuzz: string,
    names: readonly string[],
  ) {
    for (const name of names) this.#counts.set(name, 0);
  }

  add(name: string, count = 1): void {
    this.#counts.set(name, this.of(name) + count);
  }

  /** Keeps the largest value seen. */
  max(name: string, value: number): void {
    this.#counts.set(name, Math.max(this.of(name), Math.round(value)));
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** `fuzz spec: 4000 texts, 3911 refused, 89 accepted (PARKWAY_FUZZ_SEED=1)`. */
  print({ seed }: FuzzRun): void {
    const told = Array.from(this.#counts, ([name, count]) => `${count} ${name}`).join(", ");
    console.log(`fuzz ${this.fuzz}: ${told} (PARKWAY_FUZZ_SEED=${seed})`);
  }
}
