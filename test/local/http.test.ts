import { createHmac } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ParkwayConfig } from "../../lib/config/index.js";
import { type LocalHost, type Notice, startLocal } from "../../lib/local/index.js";
import { aWorkspace, onLifecycle, SCRIPTED } from "./workspace.js";

const SECRET = "It's a Secret to Everybody";
const CONFIG: ParkwayConfig = {
  webhooks: { "hello-park/gate_camera": { verify: { scheme: "github", secrets: ["env:GATE_SECRET"] } } },
  events: {
    admitted: onLifecycle("turn-settled", "hello-park"),
    paid: {
      workflow: "echo",
      trigger: "told",
      pattern: { source: ["shop"], "detail-type": ["order.paid"], detail: { amount: [{ numeric: [">", 100] }] } },
    },
  },
};
const VISIT = { visit_id: "visit-7", plate: "ab 12", visitor: "Ada" };

function workspace(): string {
  const { rootDir, remove } = aWorkspace();
  onTestFinished(remove);
  return rootDir;
}

async function start(rootDir: string, options: { newKey?: true; config?: ParkwayConfig } = {}) {
  const notices: Notice[] = [];
  const host = await startLocal({
    rootDir,
    config: options.config ?? CONFIG,
    env: { ...SCRIPTED, GATE_SECRET: SECRET },
    port: 0,
    tell: (notice) => notices.push(notice),
    ...(options.newKey ? { newKey: true } : {}),
  });
  onTestFinished(() => host.close());
  return { host, notices };
}

/** What GitHub would send. */
function deliver({ url }: LocalHost, { delivery = "d-1", secret = SECRET } = {}) {
  const body = JSON.stringify(VISIT);
  const signature = createHmac("sha256", secret).update(body).digest("hex");
  return fetch(`${url}/hooks/hello-park/gate_camera`, {
    method: "POST",
    body,
    headers: {
      "Content-Type": "application/json",
      "X-Hub-Signature-256": `sha256=${signature}`,
      "X-GitHub-Delivery": delivery,
    },
  });
}

async function call(host: LocalHost, key: string | null, path: string, body?: object, prefer = "") {
  const response = await fetch(`${host.url}${path}`, {
    method: body ? "POST" : "GET",
    ...(body ? { body: JSON.stringify(body) } : {}),
    headers: {
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...(body ? { "Content-Type": "application/json" } : {}),
      ...(prefer ? { Prefer: prefer } : {}),
    },
  });
  // biome-ignore lint/suspicious/noExplicitAny: what a body holds is what a test is about
  return { status: response.status, json: (await response.json()) as any };
}

describe("parkway dev over HTTP", () => {
  it("N-27 S-103 a signed webhook opens a session, a decision through the API ends it, the bus hears of it", async () => {
    const { host, notices } = await start(workspace());

    const hooked = await deliver(host);
    await host.idle();
    const parked = await call(host, host.newKey, "/v1/sessions/visit-7");
    const decided = await call(
      host,
      host.newKey,
      "/v1/sessions/visit-7/decision",
      { target: "open-barrier" },
      "wait=20",
    );
    await host.idle();
    const echoed = await call(host, host.newKey, "/v1/sessions?workflow=echo");

    expect(hooked.status).toBe(202);
    expect(await hooked.json()).toMatchObject({ status: "accepted", sessionId: "visit-7" });
    expect(parked).toMatchObject({ status: 200, json: { status: "awaiting_decision", state: "ask-guard" } });
    expect(decided).toMatchObject({ status: 200, json: { status: "settled", outcome: { kind: "completed" } } });
    // Once when it parked and once when it ended.
    expect(echoed.json.items).toHaveLength(2);
    expect(notices.filter(({ kind }) => kind === "failure" || kind === "warning")).toEqual([]);
  });

  it("N-30 N-32 takes a delivery once, and none with another's signature", async () => {
    const { host } = await start(workspace());

    const statuses = [];
    for (const sent of [{ secret: "guessed" }, {}, {}, { delivery: "d-2", secret: "guessed" }]) {
      statuses.push((await deliver(host, sent)).status);
    }
    await host.idle();

    expect(statuses).toEqual([401, 202, 200, 401]);
    expect((await call(host, host.newKey, "/v1/sessions?workflow=hello-park")).json.items).toHaveLength(1);
  });

  it("N-36 is closed to whoever has no key; a key is made once, told once and kept as a hash", async () => {
    const rootDir = workspace();
    const first = await start(rootDir);
    const key = first.host.newKey ?? "";
    const forged = `${key.slice(0, -1)}${key.endsWith("0") ? "1" : "0"}`;
    const statuses = [];
    for (const given of [null, forged, key]) {
      for (const path of ["/v1/me", "/v1/sessions"]) statuses.push((await call(first.host, given, path)).status);
      statuses.push((await call(first.host, given, "/events", {})).status);
    }
    await first.host.close();

    const again = await start(rootDir);
    const other = await start(rootDir, { newKey: true });

    expect(key).toMatch(/^pw_local_/);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 200, 200, 400]);
    expect(again.host.newKey).toBeNull();
    expect(other.host.newKey).toMatch(/^pw_local_/);
    for (const given of [key, other.host.newKey]) expect((await call(again.host, given, "/v1/me")).status).toBe(200);
    const secret = key.split("_").at(-1) ?? "";
    const dir = join(rootDir, "sessions", ".parkway");
    for (const file of readdirSync(dir)) expect(readFileSync(join(dir, file), "latin1")).not.toContain(secret);
    expect(statSync(join(dir, "api-keys.secret")).mode & 0o077).toBe(0);
  });

  it("an event that is put on the bus fires the rules that it matches, once for its id", async () => {
    const { host } = await start(workspace());
    const event = { source: "shop", "detail-type": "order.paid", detail: { amount: 250 }, id: "order-1" };

    const fired = await call(host, host.newKey, "/events", event);
    const again = await call(host, host.newKey, "/events", event);
    const small = await call(host, host.newKey, "/events", { ...event, id: "order-2", detail: { amount: 5 } });
    const broken = await call(host, host.newKey, "/events", { ...event, kind: "x" });
    await host.idle();

    expect(fired).toEqual({ status: 200, json: { id: "order-1", fired: ["paid"] } });
    expect(again.status).toBe(200);
    expect(small.json).toEqual({ id: "order-2", fired: [] });
    expect(broken).toMatchObject({ status: 400, json: { code: "invalid-request" } });
    expect((await call(host, host.newKey, "/v1/sessions?workflow=echo")).json.items).toHaveLength(1);
  });

  it("takes events as JSON, by POST", async () => {
    const { host } = await start(workspace());
    const post = (headers: Record<string, string>) =>
      fetch(`${host.url}/events`, {
        method: "POST",
        body: "{}",
        headers: { Authorization: `Bearer ${host.newKey}`, ...headers },
      });

    expect((await post({ "Content-Type": "text/plain" })).status).toBe(415);
    expect((await call(host, host.newKey, "/events")).status).toBe(404);
  });

  it("N-41 tells a line for each request and each turn, without what is secret", async () => {
    const { host, notices } = await start(workspace());

    await deliver(host);
    await host.idle();
    await call(host, host.newKey, "/v1/sessions/visit-7");

    const told = notices.map((notice) => (notice.kind === "request" ? notice.entry.route : notice.kind));
    expect(told.toSorted()).toEqual(["/hooks/{workflow}/{trigger}", "/v1/sessions/{id}", "fired", "turn", "turn"]);
    expect(JSON.stringify(notices)).not.toContain(host.newKey);
    expect(JSON.stringify(notices)).not.toContain(SECRET);
  });

  it("a port that is taken is told, and everything is given back", async () => {
    const { host } = await start(workspace());
    const port = Number(new URL(host.url).port);
    const rootDir = workspace();

    const again = startLocal({ rootDir, config: {}, env: {}, port, tell: () => {} });

    await expect(again).rejects.toMatchObject({ code: "port-in-use" });
    await expect(again).rejects.toThrow("--port");
  });
});
