/** What a run leaves to be read: its trail, variables, trajectory, graph and metadata (H-107…H-112). */

export { type ArtifactHost, emitRunArtifacts, type GivenTrajectory } from "./emit.js";
export { serializedGraph } from "./graph.js";
export { createTrajectoryRecorder, type TrajectoryRecorder } from "./recorder.js";
export { ARTIFACT_SCHEMAS } from "./schemas.js";
export type { RunMetadata, SerializedGraph, Trajectory, TrajectoryItem, TrajectorySegment } from "./types.js";
