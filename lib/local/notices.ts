/** What the local environment tells while it runs. */
import type { AccessEntry } from "../http/index.js";
import type { Outcome } from "../session/outcome.js";

export type Notice =
  | { kind: "request"; entry: AccessEntry }
  /** An arrival settled; with an error it was refused. */
  | { kind: "turn"; sessionId: string; outcome?: Outcome; error?: Error; durationMs: number }
  /** An attempt failed and is made again later. */
  | { kind: "delayed"; sessionId: string }
  | { kind: "fired"; what: string; sessionId: string }
  /** A firing that could not be accepted is kept as a dead letter. */
  | { kind: "kept"; what: string; reason: string; id: string }
  | { kind: "failure"; doing: string; error: unknown }
  | { kind: "warning"; message: string };
