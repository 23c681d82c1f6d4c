/** API keys that live and die with their process. */
import type { ApiKey, ApiKeys } from "../../session/api-keys.js";

export function createMemoryApiKeys(): ApiKeys {
  const keys = new Map<string, ApiKey>();
  return {
    find: async (id) => structuredClone(keys.get(id) ?? null),
    async put(key) {
      if (keys.has(key.id)) throw new Error(`There is an API key ${key.id} already.`);
      keys.set(key.id, structuredClone(key));
    },
    list: async () => structuredClone([...keys.values()].sort((a, b) => a.createdAt - b.createdAt)),
    async revoke(id, now) {
      const key = keys.get(id);
      if (!key) return false;
      keys.set(id, { ...key, revokedAt: key.revokedAt ?? now });
      return true;
    },
  };
}
