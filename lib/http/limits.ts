/** What a request may cost (N-6); an environment may set them lower. */
export interface Limits {
  /** A JSON body without the contents of its files. */
  bodyBytes: number;
  /** The files of one body, decoded. */
  fileBytes: number;
  waitSeconds: number;
}

export const LIMITS: Limits = { bodyBytes: 256 * 1024, fileBytes: 4 * 1024 * 1024, waitSeconds: 25 };

export function limitsFrom(given: Partial<Limits> = {}): Limits {
  const { bodyBytes, fileBytes, waitSeconds } = LIMITS;
  return {
    bodyBytes: Math.min(given.bodyBytes ?? bodyBytes, bodyBytes),
    fileBytes: Math.min(given.fileBytes ?? fileBytes, fileBytes),
    waitSeconds: Math.min(given.waitSeconds ?? waitSeconds, waitSeconds),
  };
}
