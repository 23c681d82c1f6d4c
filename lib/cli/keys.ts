/** `parkway keys`: the API keys of a deployed environment (N-36, N-37). */
import { isScope, makeApiKey, SCOPES } from "../http/index.js";
import type { ApiKey, ApiKeys } from "../session/api-keys.js";
import { EXIT, UsageError } from "./errors.js";
import { textOption } from "./options.js";
import { icons } from "./style.js";
import type { CommandContext } from "./types.js";

export interface KeysOf {
  keys: ApiKeys & { close?(): void };
  /** What hashes are made with; asked for only to make a key. */
  hashKey(): Promise<string>;
  /** Epoch milliseconds. */
  now(): number;
}

const DAY_MS = 86_400_000;
const ACTIONS = { create, list, revoke };

/** @param open - finds the environment that the options name */
export async function keys(
  context: CommandContext,
  open: (context: CommandContext) => Promise<KeysOf> = openTable,
): Promise<number> {
  const [action = ""] = context.args;
  if (!Object.hasOwn(ACTIONS, action)) {
    throw new UsageError(`keys takes create, list or revoke, found "${action}"`, context.command);
  }
  const environment = await open(context);
  try {
    return await ACTIONS[action as keyof typeof ACTIONS](context, environment);
  } finally {
    environment.keys.close?.();
  }
}

async function create(context: CommandContext, { keys, hashKey, now }: KeysOf): Promise<number> {
  const { terminal } = context;
  const name = required(context, "name");
  const environment = required(context, "environment");
  if (!/^[a-z0-9-]{1,40}$/.test(environment)) {
    throw new UsageError(
      `--environment takes lower-case letters, digits and "-", found "${environment}"`,
      context.command,
    );
  }
  const scopes = listOption(context, "scopes") ?? [];
  const unknown = scopes.filter((scope) => !isScope(scope));
  if (scopes.length === 0 || unknown.length > 0) {
    const found = unknown.length > 0 ? `"${unknown.join(`", "`)}"` : "none";
    throw new UsageError(`--scopes takes some of ${SCOPES.join(", ")}; found ${found}`, context.command);
  }
  const workflows = listOption(context, "workflows");
  const days = daysOption(context);
  const { text, kept } = makeApiKey(
    {
      environment,
      name,
      scopes: scopes.filter(isScope),
      ...(workflows ? { workflows } : {}),
      ...(days === undefined ? {} : { expiresAt: now() + days * DAY_MS }),
    },
    await hashKey(),
    now(),
  );
  await keys.put(kept);
  if (context.options.json) terminal.out(JSON.stringify({ key: text, ...shown(kept) }));
  else terminal.out(text);
  terminal.err(terminal.style.dim(`${icons.ok} ${kept.id} "${name}": keep the key now, it cannot be shown again`));
  return EXIT.ok;
}

async function list({ terminal, options }: CommandContext, { keys, now }: KeysOf): Promise<number> {
  const all = await keys.list();
  if (options.json) terminal.out(JSON.stringify(all.map(shown)));
  else if (all.length === 0) terminal.out("no keys");
  else terminal.out(all.map((key) => lineOf(key, now())).join("\n"));
  return EXIT.ok;
}

async function revoke(context: CommandContext, { keys, now }: KeysOf): Promise<number> {
  const { terminal, args } = context;
  const [, id] = args;
  if (id === undefined) throw new UsageError("keys revoke needs the id of a key", context.command);
  if (!(await keys.revoke(id, now()))) {
    terminal.err(terminal.style.red(`${icons.fail} there is no key "${id}"`));
    return EXIT.failure;
  }
  terminal.out(`${id} is revoked; it stops working within a minute`);
  return EXIT.ok;
}

/** Never the hash. */
function shown({ hash: _hash, ...key }: ApiKey): Omit<ApiKey, "hash"> {
  return key;
}

function lineOf(key: ApiKey, now: number): string {
  const { id, name, scopes, workflows, createdAt, expiresAt, revokedAt } = key;
  const isExpired = expiresAt !== undefined && expiresAt <= now;
  const state = revokedAt !== undefined ? "revoked" : isExpired ? "expired" : "in force";
  return [
    id,
    state,
    new Date(createdAt).toISOString(),
    ...(expiresAt === undefined ? [] : [`until=${new Date(expiresAt).toISOString()}`]),
    `scopes=${scopes.join(",")}`,
    ...(workflows ? [`workflows=${workflows.join(",")}`] : []),
    name,
  ].join("  ");
}

/** The environment's table, and the secret that the deployment hashes with. */
async function openTable(context: CommandContext): Promise<KeysOf> {
  const table = required(context, "table");
  const region = textOption(context, "region");
  const place = region === undefined ? {} : { region };
  const { createDynamoApiKeys } = await import("../stores/dynamodb/index.js");
  return {
    keys: createDynamoApiKeys({ table, ...place }),
    async hashKey() {
      const { createSecrets } = await import("../stores/secrets/index.js");
      return createSecrets(place)(required(context, "hashKey"));
    },
    now: Date.now,
  };
}

function required(context: CommandContext, name: string): string {
  const value = textOption(context, name);
  if (value === undefined || value.trim() === "") {
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw new UsageError(`keys ${context.args[0]} needs --${flag}`, context.command);
  }
  return value;
}

function listOption(context: CommandContext, name: string): string[] | undefined {
  const given = textOption(context, name);
  const parts = given?.split(",").map((part) => part.trim());
  return parts?.filter((part) => part !== "");
}

function daysOption(context: CommandContext): number | undefined {
  const given = textOption(context, "expiresInDays");
  if (given === undefined) return undefined;
  if (!/^[1-9][0-9]{0,4}$/.test(given)) {
    throw new UsageError(`--expires-in-days takes a whole number of days, found "${given}"`, context.command);
  }
  return Number(given);
}
