/** The outside of a deployment: senders of webhooks and callers of the API, who ask again when they get no answer. */
import { createHmac, randomUUID } from "node:crypto";
import { makeApiKey } from "../../../lib/http/keys.js";
import { SCOPES } from "../../../lib/http/scopes.js";
import { createDynamoApiKeys } from "../../../lib/stores/dynamodb/api-keys.js";
import type { DynamoDb } from "../../harness/dynamodb.js";
import { type Bench, GATE_SECRET, GITHUB_SECRET } from "../environment.js";

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  headers: Headers;
  ms: number;
}

export interface Client {
  /** The gate's camera: a generic HMAC webhook. */
  gate(body: object, delivery?: string): Promise<Answer>;
  github(body: object, delivery?: string): Promise<Answer>;
  /** Another hook with the gate's way of signing, such as `invoice-chaser/invoice_overdue`. */
  hook(path: string, body: object, delivery?: string): Promise<Answer>;
  api(method: "GET" | "POST" | "DELETE", path: string, body?: object, key?: string): Promise<Answer>;
  post(path: string, body: string, headers: Record<string, string>): Promise<Answer>;
}

/** With an API key of all scopes. */
export async function openClient(bench: Bench, db: DynamoDb): Promise<Client> {
  const reference = bench.variable("api", "PARKWAY_API_KEYS_SECRET").replace(/^secret:/, "");
  const hashKey = bench.engines.secrets.value(reference);
  const wanted = { environment: bench.variable("api", "PARKWAY_ENVIRONMENT"), name: "bench", scopes: SCOPES };
  const { text, kept } = makeApiKey(wanted, hashKey, bench.clock.now());
  await createDynamoApiKeys({ table: bench.variable("api", "PARKWAY_TABLE"), client: db.client() }).put(kept);
  const base = bench.gateways[0]?.url ?? "";

  async function send(method: string, path: string, body?: string, headers: Record<string, string> = {}) {
    const startedAt = performance.now();
    const type: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(`${base}${path}`, { method, body, headers: { ...type, ...headers } });
    const content = await response.text();
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return {
      status: response.status,
      body: isJson ? (JSON.parse(content) as Record<string, unknown>) : { text: content },
      headers: response.headers,
      ms: performance.now() - startedAt,
    };
  }
  const hmac = (secret: string, body: string) => `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;

  function hook(path: string, body: object, delivery: string = randomUUID()) {
    const content = JSON.stringify(body);
    const headers = { "x-signature": hmac(GATE_SECRET, content), "x-delivery": delivery };
    return send("POST", `/hooks/${path}`, content, headers);
  }

  return {
    hook,
    gate: (body, delivery) => hook("hello-park/gate_camera", body, delivery),
    github(body, delivery = randomUUID()) {
      const content = JSON.stringify(body);
      const headers = { "x-hub-signature-256": hmac(GITHUB_SECRET, content), "x-github-delivery": delivery };
      return send("POST", "/hooks/errands/issue", content, headers);
    },
    api: (method, path, body, key) =>
      send(method, path, body && JSON.stringify(body), {
        authorization: `Bearer ${text}`,
        ...(key === undefined ? {} : { "idempotency-key": key }),
      }),
    post: (path, body, headers) => send("POST", path, body, headers),
  };
}
