/** An environment in memory: its API and webhooks behind gateway payloads, and a worker for what they accept. */
import { resolve } from "node:path";
import type { WebhookConfig } from "../../lib/config/index.js";
import { gatewayEvent, type Sent, type Service } from "../../lib/http/gateway.fixture.js";
import {
  type AccessEntry,
  createApi,
  createWebhooks,
  gatewayHandler,
  type Limits,
  makeApiKey,
  type NewApiKey,
  SCOPES,
  type Scope,
} from "../../lib/http/index.js";
import { createIntake, createIntakeWorkflows, type Intake } from "../../lib/intake/index.js";
import type { ApiKeys } from "../../lib/session/api-keys.js";
import type { SessionStore } from "../../lib/session/ports.js";
import { createMemoryApiKeys, createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type CreateWorkerParams, createWorker } from "../../lib/worker.js";
import { sharedSandbox } from "../harness/agent.js";
import { type ManualClock, manualClock } from "../harness/clock.js";

const ROOT = resolve(import.meta.dirname, "../..");
const HASH_KEY = "the key of hashes";

export interface Answered {
  status: number;
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a body holds is what a test is about
  json: any;
}

export interface Desk {
  clock: ManualClock;
  intake: Intake;
  keys: ApiKeys;
  store: SessionStore;
  log: AccessEntry[];
  /** Ids of the sessions that doorbells were rung for. */
  rung: string[];
  /** With the desk's own key, which may do everything, unless the headers say who it is. */
  api(sent: Sent): Promise<Answered>;
  hook(sent: Sent): Promise<Answered>;
  /** The text of a new key. */
  key(wanted?: Partial<NewApiKey>): Promise<string>;
  /** Runs what was accepted, until nothing is left. */
  work(): Promise<void>;
  close(): Promise<void>;
}

export interface DeskOptions {
  service?: Service;
  rootDir?: string;
  webhooks?: Readonly<Record<string, WebhookConfig>>;
  secrets?: Readonly<Record<string, string>>;
  iam?: Readonly<Record<string, readonly Scope[]>>;
  limits?: Partial<Limits>;
  models?: readonly string[];
  wrapStore?: (store: SessionStore) => SessionStore;
  /** More of what the worker is made with. */
  worker?: Partial<CreateWorkerParams>;
}

export async function aDesk(options: DeskOptions = {}): Promise<Desk> {
  const { service = "rest-api", rootDir = ROOT, webhooks = {}, secrets = {} } = options;
  const clock = manualClock();
  const store = (options.wrapStore ?? ((same) => same))(createMemorySessionStore());
  const files = createMemoryFileStore({ now: clock.now });
  const keys = createMemoryApiKeys();
  const log: AccessEntry[] = [];
  const rung: string[] = [];
  const waiting = new Set<string>();
  const doorbell = {
    async ring(sessionId: string) {
      rung.push(sessionId);
      waiting.add(sessionId);
    },
  };
  const workflows = createIntakeWorkflows({ rootDir });
  const intake = createIntake({ store, files, doorbell, clock, warn: () => {} }, workflows);
  const worker = await createWorker({
    workspace: { rootDir },
    stores: { sessions: store, files },
    host: { clock, doorbell },
    env: {},
    sandboxRuntime: sharedSandbox(),
    onEvent: () => {},
    ...options.worker,
  });
  const shared = { intake, clock, log: (entry: AccessEntry) => void log.push(entry) };
  const api = gatewayHandler(
    createApi({
      ...shared,
      environment: "test",
      credentials: {
        apiKeys: { keys, hashKey: async () => HASH_KEY },
        ...(options.iam ? { iam: options.iam } : {}),
      },
      ...(options.limits ? { limits: options.limits } : {}),
      ...(options.models ? { models: options.models } : {}),
    }),
  );
  const hooks = gatewayHandler(
    createWebhooks({
      ...shared,
      webhooks,
      async secrets(reference) {
        const value = secrets[reference];
        if (value === undefined) throw new Error(`no secret ${reference}`);
        return value;
      },
    }),
  );

  async function key(wanted: Partial<NewApiKey> = {}): Promise<string> {
    const given = { environment: "test", name: "test", scopes: SCOPES, ...wanted };
    const { text, kept } = makeApiKey(given, HASH_KEY, clock.now());
    await keys.put(kept);
    return text;
  }
  const own = await key();

  return {
    clock,
    intake,
    keys,
    store,
    log,
    rung,
    key,
    async api(sent) {
      const isIdentified = sent.iamArn !== undefined || sent.headers?.Authorization !== undefined;
      const headers = { ...(isIdentified ? {} : { Authorization: `Bearer ${own}` }), ...sent.headers };
      return answered(await api(gatewayEvent(service, { ...sent, headers })));
    },
    async hook(sent) {
      return answered(await hooks(gatewayEvent(service, { method: "POST", ...sent })));
    },
    async work() {
      for (const sessionId of waiting) {
        waiting.delete(sessionId);
        await worker.work(sessionId);
      }
    },
    close: () => worker.close(),
  };
}

/** A request with a JSON body. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Sent {
  return {
    method: "POST",
    url,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
}

function answered({
  statusCode: status,
  headers,
  body: text,
}: Awaited<ReturnType<ReturnType<typeof gatewayHandler>>>): Answered {
  const isJson = headers["Content-Type"]?.includes("json") === true;
  return { status, headers, text, json: isJson ? JSON.parse(text) : undefined };
}
