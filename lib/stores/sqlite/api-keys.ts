/** API keys of an environment on one machine, in a file of their own. */
import type { ApiKey, ApiKeys } from "../../session/api-keys.js";
import { openDatabase, type Row } from "../sqlite-database.js";

const MIGRATIONS = [
  `
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) WITHOUT ROWID;
  `,
] as const;

/** @param file - not the session store's, whose format has its own version */
export function createSqliteApiKeys({ file }: { file: string }): ApiKeys & { close(): void } {
  const db = openDatabase(file, MIGRATIONS);
  return {
    async find(id) {
      const row = db.get("SELECT key, revoked_at FROM api_keys WHERE id = ?", id);
      return row ? keyFrom(row) : null;
    },
    async put(key) {
      const { revokedAt, ...kept } = key;
      db.run(
        "INSERT INTO api_keys (id, key, created_at, revoked_at) VALUES (?, ?, ?, ?)",
        key.id,
        JSON.stringify(kept),
        key.createdAt,
        revokedAt ?? null,
      );
    },
    async list() {
      return db.all("SELECT key, revoked_at FROM api_keys ORDER BY created_at, id").map(keyFrom);
    },
    async revoke(id, now) {
      return db.run("UPDATE api_keys SET revoked_at = COALESCE(revoked_at, ?) WHERE id = ?", now, id) > 0;
    },
    close: () => db.close(),
  };
}

function keyFrom({ key, revoked_at }: Row): ApiKey {
  return { ...(JSON.parse(String(key)) as ApiKey), ...(revoked_at === null ? {} : { revokedAt: Number(revoked_at) }) };
}
