/** What somebody sends to a session. */

/** A file sent with a turn: bytes already in the file store (S-10). */
export interface FileRef {
  name: string;
  /** Key in the file store's upload area. */
  key: string;
  sizeBytes: number;
  sha256: string;
}

/** What was said before a session began, elsewhere (H-48). */
export interface HistoryMessage {
  role: "user" | "assistant";
  content: string;
}

export type ArrivalInput = PerCall &
  (
    | {
        kind: "turn";
        /** It may open a turn and nothing else: a session that is parked refuses it (H-47). */
        opensOnly?: true;
        /** The transcript before `message`, oldest first; only where the session has none yet (H-48). */
        history?: HistoryMessage[];
        message?: string;
        trigger?: string;
        variables?: Record<string, unknown>;
        files?: Record<string, FileRef>;
      }
    | { kind: "decision"; target: string; comment?: string; park?: string; seq?: number; decidedBy?: string }
    | { kind: "reply"; message: string }
    | { kind: "delivery"; trigger: string; variables?: Record<string, unknown>; message?: string }
  );

export interface PerCall {
  /** The model id that the agent's calls are made with, in this turn and this session alone. */
  model?: string;
}
