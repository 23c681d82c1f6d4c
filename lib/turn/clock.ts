/** The time as a model is told it (W-265, H-41). */
import { clockLine } from "../machine/index.js";
import type { Turn } from "./types.js";

/** A test case's clock wins over the assembly's (C-12). */
export function statedClock({ host, assembly, options }: Pick<Turn, "host" | "assembly" | "options">): string {
  const pinnedMs = options.pinnedClockMs === undefined ? assembly.pinnedClockMs : options.pinnedClockMs;
  return clockLine({ nowMs: host.clock.now(), timeZone: assembly.timeZone, pinnedMs });
}
