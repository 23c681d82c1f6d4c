/** API keys: `pw_<environment>_<id>_<secret>`, made once, shown once, kept as a keyed hash (N-36). */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { ApiKey } from "../session/api-keys.js";
import type { Scope } from "./scopes.js";

export interface NewApiKey {
  environment: string;
  name: string;
  scopes: readonly Scope[];
  workflows?: readonly string[];
  tenant?: string;
  /** Epoch milliseconds. */
  expiresAt?: number;
}

const ID_BYTES = 8;
const SECRET_BYTES = 32;
const KEY = /^pw_([a-z0-9-]{1,40})_([0-9a-f]{16})_([0-9a-f]{64})$/;

/**
 * A new key: its text, which nothing can give again, and what is kept of it.
 *
 * @param hashKey - the environment's secret that hashes are made with
 */
export function makeApiKey(wanted: NewApiKey, hashKey: string, now: number): { text: string; kept: ApiKey } {
  const { environment, name, scopes, workflows, tenant, expiresAt } = wanted;
  const id = randomBytes(ID_BYTES).toString("hex");
  const secret = randomBytes(SECRET_BYTES).toString("hex");
  const kept: ApiKey = {
    id,
    name,
    hash: hashOf(secret, hashKey),
    scopes,
    ...(workflows ? { workflows } : {}),
    ...(tenant !== undefined ? { tenant } : {}),
    createdAt: now,
    ...(expiresAt !== undefined ? { expiresAt } : {}),
  };
  return { text: `pw_${environment}_${id}_${secret}`, kept };
}

export function parseApiKey(text: string): { environment: string; id: string; secret: string } | null {
  const [, environment, id, secret] = KEY.exec(text) ?? [];
  return environment !== undefined && id !== undefined && secret !== undefined ? { environment, id, secret } : null;
}

/** Whether the secret is the key's and the key is in force; an unknown key takes as long as a known one. */
export function isKeyValid(kept: ApiKey | null, secret: string, given: { hashKey: string; now: number }): boolean {
  const hash = Buffer.from(hashOf(secret, given.hashKey), "hex");
  const wanted = kept ? Buffer.from(kept.hash, "hex") : Buffer.alloc(hash.length);
  const isSame = wanted.length === hash.length && timingSafeEqual(wanted, hash);
  if (!kept || !isSame) return false;
  return kept.revokedAt === undefined && (kept.expiresAt === undefined || given.now < kept.expiresAt);
}

function hashOf(secret: string, hashKey: string): string {
  if (hashKey === "") throw new Error("The key that API keys are hashed with is empty.");
  return createHmac("sha256", hashKey).update(secret).digest("hex");
}
