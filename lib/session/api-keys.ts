/** API keys as they are kept (N-36): never the secret, only a keyed hash of it. */

export interface ApiKey {
  /** Letters and digits; part of the key's text, and no secret. */
  id: string;
  /** For people. */
  name: string;
  /** HMAC-SHA-256 of the secret, in hexadecimal. */
  hash: string;
  scopes: readonly string[];
  /** The only workflows it is for; all of them unless given. */
  workflows?: readonly string[];
  tenant?: string;
  /** Epoch milliseconds. */
  createdAt: number;
  expiresAt?: number;
  revokedAt?: number;
}

export interface ApiKeys {
  /** A consistent read; null for an unknown id. */
  find(id: string): Promise<ApiKey | null>;
  /** Keeps a new key. @throws where the id is taken */
  put(key: ApiKey): Promise<void>;
  /** All of them, revoked ones too, the oldest first. */
  list(): Promise<ApiKey[]>;
  /** False for an unknown id. The first revocation's time stays. */
  revoke(id: string, now: number): Promise<boolean>;
}
