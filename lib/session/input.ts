/** What somebody sends to a session. */

/** A file sent with a turn: bytes already in the file store (S-10). */
export interface FileRef {
  name: string;
  /** Key in the file store's upload area. */
  key: string;
  sizeBytes: number;
  sha256: string;
}

export type ArrivalInput =
  | {
      kind: "turn";
      message?: string;
      trigger?: string;
      variables?: Record<string, unknown>;
      files?: Record<string, FileRef>;
    }
  | { kind: "decision"; target: string; comment?: string; park?: string; seq?: number; decidedBy?: string }
  | { kind: "reply"; message: string }
  | { kind: "delivery"; trigger: string; variables?: Record<string, unknown>; message?: string };
