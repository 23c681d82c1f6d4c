import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { keys as keysCommand } from "../../lib/cli/keys.js";
import { createStyle } from "../../lib/cli/style.js";
import type { CommandContext } from "../../lib/cli/types.js";
import { makeApiKey } from "../../lib/http/index.js";
import type { ApiKey, ApiKeys } from "../../lib/session/api-keys.js";
import { createDynamoApiKeys, createDynamoSessionStore } from "../../lib/stores/dynamodb/index.js";
import { createMemoryApiKeys } from "../../lib/stores/memory/index.js";
import { createSqliteApiKeys } from "../../lib/stores/sqlite/index.js";
import { runCli } from "../cli/stage.js";
import { describeDynamoDb } from "../harness/dynamodb.js";
import { temporaryFolder } from "../harness/temporary.js";

const HASH_KEY = "the key of hashes";
const NOW = Date.UTC(2026, 2, 20, 9);

function aKey(fields: Partial<ApiKey> = {}): ApiKey {
  const { kept } = makeApiKey({ environment: "test", name: "desk", scopes: ["sessions:read"] }, HASH_KEY, NOW);
  return { ...kept, ...fields };
}

/** What every place for keys promises. */
function keepsKeys(open: () => Promise<ApiKeys>): void {
  it("N-36 finds a key as it was put, hash and all, and nothing under another id", async () => {
    const keys = await open();
    const key = aKey({ workflows: ["refund"], tenant: "north", expiresAt: NOW + 1, name: 'ü "x"' });
    await keys.put(key);
    expect(await keys.find(key.id)).toEqual(key);
    expect(await keys.find("0000000000000000")).toBeNull();
  });

  it("N-36 keeps the first key under an id", async () => {
    const keys = await open();
    const key = aKey();
    await keys.put(key);
    await expect(keys.put({ ...key, name: "other" })).rejects.toThrow();
    expect(await keys.find(key.id)).toEqual(key);
  });

  it("N-36 revokes once, and lists all of them by age", async () => {
    const keys = await open();
    const [late, early] = [aKey({ createdAt: NOW + 5 }), aKey({ createdAt: NOW })];
    await keys.put(late);
    await keys.put(early);
    expect(await keys.revoke(early.id, NOW + 10)).toBe(true);
    expect(await keys.revoke(early.id, NOW + 20)).toBe(true);
    expect(await keys.revoke("0000000000000000", NOW)).toBe(false);
    expect(await keys.find("0000000000000000")).toBeNull();
    expect(await keys.list()).toEqual([{ ...early, revokedAt: NOW + 10 }, late]);
  });
}

describe("API keys in memory", () => keepsKeys(async () => createMemoryApiKeys()));

describe("API keys in a file", () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);
  let files = 0;
  keepsKeys(async () => {
    files += 1;
    return createSqliteApiKeys({ file: join(folder.dir, `${files}.db`) });
  });
});

describeDynamoDb("API keys in the table", (db) => {
  keepsKeys(async () => createDynamoApiKeys({ table: await db.table(), client: db.client() }));

  it("N-36 are no sessions and no dead letters of the table they share", async () => {
    const table = await db.table();
    const client = db.client();
    await createDynamoApiKeys({ table, client }).put(aKey());
    const store = createDynamoSessionStore({ table, client });
    expect(await store.list()).toEqual([]);
    expect(await store.deadLetters(NOW)).toEqual([]);
    expect(await store.due(NOW, { limit: 10 })).toEqual([]);
  });
});

describe("parkway keys", () => {
  const CREATE = { name: "desk", environment: "prod", scopes: "sessions:start, sessions:read", hashKey: "ssm:hash" };

  async function run(args: string[], options: Record<string, unknown> = {}, keys: ApiKeys = createMemoryApiKeys()) {
    const out: string[] = [];
    const err: string[] = [];
    const context = {
      terminal: {
        out: (text: string) => void out.push(text),
        err: (text: string) => void err.push(text),
        style: createStyle({ colour: false }),
      },
      command: "keys",
      args,
      options,
    } as unknown as CommandContext;
    const exit = await keysCommand(context, async () => ({ keys, hashKey: async () => HASH_KEY, now: () => NOW }));
    return { exit, out: out.join("\n"), err: err.join("\n") };
  }

  it("N-36, N-37 makes a key that is shown once, and keeps only its hash", async () => {
    const keys = createMemoryApiKeys();
    const { exit, out } = await run(["create"], { ...CREATE, workflows: "refund", expiresInDays: "30" }, keys);
    expect(exit).toBe(0);
    expect(out).toMatch(/^pw_prod_[0-9a-f]{16}_[0-9a-f]{64}$/);
    const [kept] = await keys.list();
    expect(kept).toMatchObject({
      name: "desk",
      scopes: ["sessions:start", "sessions:read"],
      workflows: ["refund"],
      createdAt: NOW,
      expiresAt: NOW + 30 * 86_400_000,
    });
    expect(JSON.stringify(kept)).not.toContain(out.split("_").at(-1));
  });

  it("N-36 lists keys without their hashes, and revokes by id", async () => {
    const keys = createMemoryApiKeys();
    await keys.put(aKey({ id: "0123456789abcdef", expiresAt: NOW }));
    expect((await run(["list"], {}, keys)).out).toMatch(/^0123456789abcdef {2}expired/);
    expect((await run(["revoke", "0123456789abcdef"], {}, keys)).exit).toBe(0);
    const listed = await run(["list"], { json: true }, keys);
    expect(JSON.parse(listed.out)).toMatchObject([{ id: "0123456789abcdef", revokedAt: NOW }]);
    expect(listed.out).not.toContain("hash");
    expect((await run(["revoke", "none"], {}, keys)).exit).toBe(1);
    expect((await run(["list"])).out).toBe("no keys");
  });

  it.each([
    [["make"], {}],
    [["create"], { ...CREATE, scopes: "sessions:all" }],
    [["create"], { ...CREATE, scopes: undefined }],
    [["create"], { ...CREATE, environment: "Prod_1" }],
    [["create"], { ...CREATE, name: " " }],
    [["create"], { ...CREATE, expiresInDays: "soon" }],
    [["revoke"], {}],
  ])("N-37 tells what is wrong with %j %j", async (args, options) => {
    await expect(run(args, options)).rejects.toMatchObject({ code: "usage" });
  });

  it("N-36 needs to know the table", async () => {
    const { exit, err } = await runCli(["keys", "list"]);
    expect(exit).toBe(2);
    expect(err).toContain("--table");
  });
});
