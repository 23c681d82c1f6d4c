/** Where the CPU time of some work goes, by whose code it is. */
import { Session } from "node:inspector/promises";

const SAMPLE_EVERY_US = 500;

interface Frame {
  functionName: string;
  url: string;
}

/** @returns milliseconds by part, largest first */
export async function profiled(work: () => Promise<unknown>): Promise<[part: string, ms: number][]> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_US });
  await session.post("Profiler.start");
  await work();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();

  const parts = new Map<number, string>();
  const parents = new Map<number, number>();
  for (const { id, children = [] } of profile.nodes) for (const child of children) parents.set(child, id);
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const partAt = (id: number): string => {
    const known = parts.get(id);
    if (known !== undefined) return known;
    const frame = frames.get(id) as Frame;
    const above = parents.get(id);
    // A function of the language or the runtime belongs to whoever called it.
    const part = partOf(frame) ?? (above === undefined ? "runtime" : partAt(above));
    parts.set(id, part);
    return part;
  };
  const sums = new Map<string, number>();
  for (const [at, id] of (profile.samples ?? []).entries()) {
    const part = partAt(id);
    sums.set(part, (sums.get(part) ?? 0) + (profile.timeDeltas?.[at] ?? 0) / 1_000);
  }
  for (const part of ["idle", "profiler"]) sums.delete(part);
  return [...sums].sort(([, a], [, b]) => b - a);
}

function partOf({ functionName, url }: Frame): string | null {
  if (functionName === "(idle)") return "idle";
  if (functionName === "(garbage collector)") return "garbage collection";
  if (functionName === "(program)" || functionName === "(root)") return "runtime";
  if (url === "node:inspector") return "profiler";
  if (url.startsWith("node:")) return null;
  const scoped = /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(url)?.[1];
  if (scoped) return scoped.startsWith("@smithy/") || scoped.startsWith("@aws-sdk/") ? "AWS SDK" : scoped;
  const own = /\/(lib\/[^/]+(?:\/dynamodb|\/s3)?)\//.exec(url)?.[1];
  if (own) return own;
  return url === "" ? null : "bench";
}
