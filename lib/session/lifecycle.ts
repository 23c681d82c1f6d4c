/** Lifecycle events for the outside (S-97, N-47): ids, states, statuses and reasons, never content (S-100). */
export interface LifecycleEvent {
  /** `<session>/<turn ordinal>/<number>`: a consumer drops repetitions by it. */
  id: string;
  type: "turn-started" | "parked" | "turn-settled" | "dead-lettered";
  sessionId: string;
  workflow: string;
  /** Epoch milliseconds. */
  at: number;
  detail: Record<string, unknown>;
}
