/** The six files of a run, as text (H-107…H-112). */
import { runtimeContractOf } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import type { SessionState, TrailStep, Usage } from "../session/state.js";
import { hasUsage } from "../session/usage.js";
import { serializedGraph } from "./graph.js";
import type { RunMetadata, Trajectory } from "./types.js";

export type ArtifactFile =
  | "graph.json"
  | "graph.mmd"
  | "metadata.json"
  | "trail.json"
  | "trajectory.json"
  | "variables.json";

export interface RunDocuments {
  session: { sessionId: string; workflow: string };
  machine: Machine;
  packageVersion: string;
  usage: Usage | null;
  /** Null where the checkpoint cannot be read: then what stands in it alone is left out (H-109). */
  state: SessionState | null;
  trail: readonly TrailStep[] | null;
  trajectory: Trajectory | null;
}

/** By file name; the same run gives the same text. */
export function runDocuments(run: RunDocuments): Partial<Record<ArtifactFile, string>> {
  const { session, machine, trajectory } = run;
  // A plain agent has neither (H-109).
  const { state, trail } = machine.plain ? { state: null, trail: null } : run;
  const graph = serializedGraph(machine);
  return {
    "graph.json": json(graph),
    "graph.mmd": graph.mermaid,
    ...(trajectory ? { "trajectory.json": json(trajectory) } : {}),
    ...(trail ? { "trail.json": json({ ...session, steps: trail.map(writtenStep) }) } : {}),
    ...(state ? { "variables.json": json(writtenVariables(state)) } : {}),
    "metadata.json": json(metadataOf(run)),
  };
}

function writtenStep({ to, kind, reason, workflow, status, by, ts }: TrailStep) {
  return { to, kind, reason, workflow, status, by, ts: new Date(ts).toISOString() };
}

/** H-112: who locked a name, and anything else that is kept about it, stays out. */
function writtenVariables({ variables }: SessionState): Record<string, { value: unknown; locked: boolean }> {
  const names = Object.keys(variables).sort();
  return Object.fromEntries(
    names.map((name) => [name, { value: variables[name]!.value, locked: variables[name]!.locked }]),
  );
}

function metadataOf({ session, machine, packageVersion, usage }: RunDocuments): RunMetadata {
  return {
    ...session,
    runtimeContract: runtimeContractOf(machine.spec),
    packageVersion,
    ...(machine.plain ? {} : { specHash: machine.specHash }),
    ...(usage && hasUsage(usage) ? { usage } : {}),
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
