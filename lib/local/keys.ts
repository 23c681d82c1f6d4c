/** The API keys of one machine: made at the first start, kept hashed beside the sessions (N-36). */
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Credentials, makeApiKey, SCOPES } from "../http/index.js";
import { createSqliteApiKeys } from "../stores/sqlite/index.js";

export interface LocalKeys {
  credentials: Credentials;
  /** The text of a key that was made now, which nothing can give again. */
  newKey: string | null;
  close(): Promise<void>;
}

/**
 * Opens the keys of a root, and makes one with every scope where there is none in force.
 *
 * @param wanted.newKey - true: makes one in any case; those there are stay valid
 */
export async function openLocalKeys(
  rootDir: string,
  wanted: { environment: string; now: number; newKey: boolean },
): Promise<LocalKeys> {
  const dir = join(rootDir, "sessions", ".parkway");
  mkdirSync(dir, { recursive: true });
  const hashKey = hashKeyIn(dir);
  const keys = createSqliteApiKeys({ file: join(dir, "api-keys.db") });
  const { environment, now } = wanted;
  const isInForce = (await keys.list()).some(
    ({ revokedAt, expiresAt }) => revokedAt === undefined && (expiresAt === undefined || now < expiresAt),
  );
  let newKey: string | null = null;
  if (wanted.newKey || !isInForce) {
    const made = makeApiKey({ environment, name: "parkway dev", scopes: SCOPES }, hashKey, now);
    await keys.put(made.kept);
    newKey = made.text;
  }
  return {
    credentials: { apiKeys: { keys, hashKey: async () => hashKey } },
    newKey,
    close: async () => keys.close(),
  };
}

/** What this root's keys are hashed with: made once, readable by its owner only. */
function hashKeyIn(dir: string): string {
  const file = join(dir, "api-keys.secret");
  try {
    writeFileSync(file, randomBytes(32).toString("hex"), { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return readFileSync(file, "utf8");
}
