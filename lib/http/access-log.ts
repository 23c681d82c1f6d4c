/** What is logged of a request (N-41): never a header, a body or a value of one. */
export interface AccessEntry {
  method: string;
  /** The template, not the path; empty where none fits. */
  route: string;
  status: number;
  principal?: string;
  sessionId?: string;
  durationMs: number;
  requestId: string;
  /** The code of the problem answered. */
  code?: string;
  /** Why it was our fault: for the log only, which redacts. */
  error?: unknown;
}

export type AccessLog = (entry: AccessEntry) => void;
