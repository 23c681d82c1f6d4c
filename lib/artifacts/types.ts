/** What a run leaves for people and programs to read afterwards (H-107…H-112). */

export type TrajectoryItem =
  /** `role` is `user`, `assistant`, or `runtime` for what the runtime itself said. */
  | { kind: "message"; role: string; content: string }
  /** `result` is null while the call has no answer. */
  | { kind: "tool_call"; name: string; args: unknown; result: string | null };

/** One visit of a state. */
export interface TrajectorySegment {
  state: string;
  /** The state the session came from; absent where a session begins. */
  enteredState?: string;
  /** The state it went on to; absent where it stands. */
  exitedState?: string;
  items: TrajectoryItem[];
}

/** What a session said and called, by the states it visited: the content of `trajectory.json` (H-110). */
export interface Trajectory {
  sessionId: string;
  workflow: string;
  /** The first thing a person said. */
  prompt?: string;
  /** The agent's last words; empty when it has said nothing. */
  finalAnswer: string;
  segments: TrajectorySegment[];
}

/** A workflow's states and transitions as a graph, and drawn in Mermaid: the content of `graph.json` (H-108). */
export interface SerializedGraph {
  nodes: string[];
  edges: { source: string; target: string; conditional: boolean; label?: string }[];
  /** Where a turn without a more special trigger opens. */
  entry: string;
  /** Terminal states. */
  finals: string[];
  mermaid: string;
}

/** What a session ran under and what it spent: the content of `metadata.json` (H-109, H-110). */
export interface RunMetadata {
  sessionId: string;
  workflow: string;
  runtimeContract: { engine: string; version: string; source: "declared" | "defaulted" };
  packageVersion: string;
  specHash?: string;
  usage?: {
    inputTokens: number;
    outputTokens: number;
    cacheReadTokens: number;
    cacheCreationTokens: number;
    costUsd?: number;
  };
}
