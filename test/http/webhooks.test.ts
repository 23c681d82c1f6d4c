import { createHmac } from "node:crypto";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { WebhookConfig } from "../../lib/config/index.js";
import { SERVICES } from "../../lib/http/gateway.fixture.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";
import { type Answered, aDesk, type Desk, type DeskOptions } from "./desk.js";

const CAMERA = "/hooks/hello-park/gate_camera";
const SECRET = "camera-secret";
const VISIT = { visit_id: "visit-1", plate: "AB 12", visitor: "Ada" };

const signed: WebhookConfig = { verify: { scheme: "hmac-sha256", secrets: ["ssm:camera"] } };

const open: Desk[] = [];
afterEach(() => Promise.all(open.splice(0).map((desk) => desk.close())));

async function withHook(hook: WebhookConfig = signed, options: DeskOptions = {}): Promise<Desk> {
  const desk = await aDesk({
    webhooks: { "hello-park/gate_camera": hook },
    secrets: { "ssm:camera": SECRET },
    ...options,
  });
  open.push(desk);
  return desk;
}

function send(desk: Desk, body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const signature = createHmac("sha256", SECRET).update(text).digest("hex");
  return desk.hook({
    url: CAMERA,
    headers: { "Content-Type": "application/json", "X-Signature": signature, ...headers },
    body: text,
  });
}

async function variablesOf(desk: Desk, sessionId: string): Promise<Record<string, unknown>> {
  const { variables = {} } = (await desk.intake.sessions.get(sessionId)) ?? {};
  return Object.fromEntries(Object.entries(variables).map(([name, { value }]) => [name, value]));
}

describe.each(SERVICES)("a webhook through %s", (service) => {
  it("N-27, N-29, N-33, F-80 is accepted into its session's inbox before any turn runs", async () => {
    const desk = await withHook(signed, { service });

    const answer = await send(desk, VISIT);

    expect(answer.status).toBe(202);
    expect(answer.json).toEqual({ status: "accepted", turnId: expect.any(String), sessionId: "visit-1", seq: 1 });
    expect(desk.rung).toEqual(["visit-1"]);
    expect(await desk.intake.receipt(answer.json.turnId)).toMatchObject({ status: "queued" });
    expect(await desk.intake.sessions.get("visit-1")).toBeNull();

    await desk.work();
    expect(await desk.intake.sessions.get("visit-1")).toMatchObject({ status: "awaiting_decision" });
  });

  it("F-79 checks the bytes that a gateway handed over as base64", async () => {
    const desk = await withHook(signed, { service });
    const bytes = new TextEncoder().encode(JSON.stringify(VISIT));
    const signature = createHmac("sha256", SECRET).update(bytes).digest("hex");
    const answer = await desk.hook({ url: CAMERA, headers: { "x-signature": signature }, body: bytes });
    expect(answer.status).toBe(202);
  });
});

describe("verification", () => {
  it("N-29, N-30, F-79 refuses before it parses, and stores nothing", async () => {
    const desk = await withHook();
    const bad = { "X-Signature": "0".repeat(64) };

    for (const body of [VISIT, "{ no json", ""]) {
      const answer = await send(desk, body, bad);
      expect(answer.status).toBe(401);
      expect(answer.json.code).toBe("invalid-signature");
    }
    const missing = await desk.hook({ url: CAMERA, body: JSON.stringify(VISIT) });
    expect(missing.status).toBe(401);
    expect(desk.rung).toEqual([]);
    expect(await desk.intake.deadLetters()).toEqual([]);
  });

  it("N-30 takes what one secret signed while another cannot be had, and blames itself for the rest", async () => {
    const desk = await withHook({ verify: { scheme: "hmac-sha256", secrets: ["ssm:withdrawn", "ssm:camera"] } });

    expect((await send(desk, VISIT)).status).toBe(202);
    // The secret that is missing may be the one that signed: the sender is to try again.
    const bad = await send(desk, VISIT, { "X-Signature": "0".repeat(64) });
    expect(bad).toMatchObject({ status: 500, json: { code: "internal" } });
    expect(desk.log.at(-1)?.error).toMatchObject({ message: "no secret ssm:withdrawn" });
  });

  it("N-40 neither needs nor looks at API credentials", async () => {
    const desk = await withHook();
    expect((await send(desk, VISIT, { Authorization: "Bearer nonsense" })).status).toBe(202);
    const key = await desk.key();
    expect((await send(desk, VISIT, { Authorization: `Bearer ${key}`, "X-Signature": "no" })).status).toBe(401);
  });

  it("N-30 leaves a secret that cannot be had to the log, and the sender to try again", async () => {
    const desk = await withHook({ verify: { scheme: "hmac-sha256", secrets: ["ssm:gone"] } });
    const answer = await send(desk, VISIT);
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain("ssm:gone");
    expect(desk.log[0]).toMatchObject({ status: 500, error: expect.any(Error) });
  });
});

describe("what is there", () => {
  it("N-27 answers undeclared hooks, unknown workflows and other methods alike", async () => {
    const desk = await withHook();
    const asked = [
      { url: "/hooks/hello-park/manual" },
      { url: "/hooks/nobody/gate_camera" },
      { url: "/hooks/hello-park" },
      { url: "/hooks/%ff/x" },
      { url: CAMERA, method: "GET" },
    ];
    const answers = await Promise.all(asked.map((sent) => desk.hook(sent)));
    for (const { status, json } of answers) {
      expect(status).toBe(404);
      expect(json).toEqual({ ...answers[0]?.json, instance: json.instance, requestId: json.requestId });
    }
  });

  it("N-6, N-29 refuses a body over 1 MB unread", async () => {
    const desk = await withHook();
    const answer = await send(desk, `{"a":"${"x".repeat(1024 * 1024)}"}`, { "X-Signature": "no" });
    expect(answer.status).toBe(413);
  });

  it("F-81 takes JSON types with a charset or suffix, refuses other types with 415 and broken JSON with 400", async () => {
    const desk = await withHook();
    const typed = (type: string, body: unknown = VISIT) => send(desk, body, { "Content-Type": type });
    expect((await typed("application/json; charset=utf-8")).status).toBe(202);
    expect((await typed("application/cloudevents+json", { ...VISIT, visit_id: "visit-2" })).status).toBe(202);
    expect((await typed("text/plain")).status).toBe(415);
    expect((await typed("application/json; charset=latin1")).status).toBe(415);
    expect((await typed("application/json", "{")).json.code).toBe("invalid-request");
    expect((await typed("application/json", `${"[".repeat(5000)}${"]".repeat(5000)}`)).status).toBe(400);
  });
});

describe("types", () => {
  it("N-27, F-81 takes what the hook accepts, and JSON of any kind where it accepts one", async () => {
    const desk = await withHook({ ...signed, accept: ["application/CloudEvents+json", "text/plain"] });
    const typed = (type: string, n: number) =>
      send(desk, { ...VISIT, visit_id: `visit-${n}` }, { "Content-Type": type });
    expect((await typed("application/cloudevents+json", 1)).status).toBe(202);
    expect((await typed("application/json", 2)).status).toBe(202);
    expect((await typed("application/x-www-form-urlencoded", 3)).status).toBe(415);
    // A text has no members, so nothing that the trigger requires is there.
    expect((await typed("text/plain; charset=utf-8", 4)).json.code).toBe("invalid-variables");
  });
});

describe("mapping", () => {
  it("N-28 takes the trigger's own names from the top level, and nothing else", async () => {
    const desk = await withHook();
    await send(desk, { ...VISIT, plate_key: "ZZ", outcome: "admitted", trigger: "x", title: "Mine" });
    await desk.work();
    const variables = await variablesOf(desk, "visit-1");
    expect(variables).toMatchObject({ ...VISIT, plate_key: "AB12", title: "Visit of Ada", trigger: "gate_camera" });
    expect(variables.outcome).toBeUndefined();
  });

  it("N-28 follows the map's paths, leaves unset what leads nowhere, and never maps trigger or title", async () => {
    const map = {
      visit_id: "data.visit.id",
      plate: "data.plates.-1",
      visitor: "data.visitor-name",
      extra: "data.nothing.there",
      title: "data.visitor-name",
      trigger: "data.visitor-name",
    };
    const desk = await withHook({ ...signed, map });
    const data = { visit: { id: "visit-7" }, plates: ["A", "CD 34"], "visitor-name": "Bo" };

    const answer = await send(desk, { data });
    await desk.work();

    expect(answer.json.sessionId).toBe("visit-7");
    const variables = await variablesOf(desk, "visit-7");
    expect(variables).toMatchObject({ plate: "CD 34", visitor: "Bo", title: "Visit of Bo", trigger: "gate_camera" });
    expect(variables).not.toHaveProperty("extra");
  });

  it("N-28 takes the session's path and the message's from the hook where it has them", async () => {
    const desk = await withHook({ ...signed, sessionPath: "visitor", message: "note" });
    const answer = await send(desk, { ...VISIT, note: "He is early." });
    expect(answer.json.sessionId).toBe("Ada");
    await desk.work();
    const found = await desk.store.read("Ada");
    expect(JSON.stringify(found?.thread)).toContain("He is early.");
  });

  it("N-28, F-80 reads a form of very many fields in a moment", async () => {
    const form = "application/x-www-form-urlencoded";
    const desk = await withHook({
      verify: { scheme: "none", allowUnsigned: true },
      accept: [form],
      map: { visit_id: "v.0", plate: "v.1", visitor: "v.2" },
    });
    const startedAt = performance.now();
    const answer = await desk.hook({
      url: CAMERA,
      headers: { "Content-Type": form },
      body: `v=visit-1&v=AB&v=Ada&${"v&".repeat(150_000)}`,
    });
    expect(answer.status).toBe(202);
    expect(performance.now() - startedAt).toBeLessThan(4_000);
  });

  it("N-28 reads form fields, and for Slack the JSON of the field payload", async () => {
    const map = { visit_id: "payload.actions.0.value", plate: "payload.plate", visitor: "user" };
    const desk = await withHook({ verify: { scheme: "slack", secrets: ["ssm:camera"] }, map });
    const payload = JSON.stringify({ actions: [{ value: "visit-3" }], plate: "EF 56" });
    const body = new URLSearchParams({ payload, user: "Cy" }).toString();
    const time = String(desk.clock.now() / 1000);
    const digest = createHmac("sha256", SECRET).update(`v0:${time}:${body}`).digest("hex");

    const answer = await desk.hook({
      url: CAMERA,
      headers: {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": time,
        "X-Slack-Signature": `v0=${digest}`,
      },
      body,
    });

    expect(answer.status).toBe(202);
    expect(answer.json.sessionId).toBe("visit-3");
    await desk.work();
    expect(await variablesOf(desk, "visit-3")).toMatchObject({ plate: "EF 56", visitor: "Cy" });
  });

  it("N-8, N-29 answers what the trigger's requires refuse, and leaves no trace", async () => {
    const desk = await withHook();
    const answer = await send(desk, { ...VISIT, plate: "x" });
    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ code: "invalid-variables", errors: [{ pointer: "/variables/plate" }] });
    expect(desk.rung).toEqual([]);
    expect((await send(desk, { ...VISIT, plate: "xyz" })).status).toBe(202);
  });
});

describe("repetitions", () => {
  async function same(hook: WebhookConfig, first: [unknown, object?], second: [unknown, object?]): Promise<boolean> {
    const desk = await withHook(hook);
    const one = await send(desk, first[0], (first[1] ?? {}) as Record<string, string>);
    const two = await send(desk, second[0], (second[1] ?? {}) as Record<string, string>);
    expect(one.status).toBe(202);
    expect(two.status).toBe(two.json.status === "duplicate" ? 200 : 202);
    if (two.json.status === "duplicate") expect(two.json).toEqual({ ...one.json, status: "duplicate" });
    return two.json.status === "duplicate";
  }

  it("N-32, F-9, F-11 knows a body again whatever the order of its keys, and answers like the first", async () => {
    const turned = { visitor: "Ada", plate: "AB 12", visit_id: "visit-1" };
    expect(await same(signed, [VISIT], [turned])).toBe(true);
    expect(await same(signed, [VISIT], [{ ...VISIT, plate: "AB 13" }])).toBe(false);
  });

  it("N-32, F-11 looks where the hook says: a header or a place in the body", async () => {
    const other = { ...VISIT, plate: "CD 34" };
    const byHeader = { ...signed, dedupe: "header:X-Event-Id" };
    expect(await same(byHeader, [VISIT, { "x-event-id": "1" }], [other, { "X-EVENT-ID": "1" }])).toBe(true);
    expect(await same(byHeader, [VISIT, { "X-Event-Id": "1" }], [VISIT, { "X-Event-Id": "2" }])).toBe(false);
    const byBody = { ...signed, dedupe: "body:event.id" };
    const withId = (id: unknown, more: object) => ({ ...more, event: { id } });
    expect(await same(byBody, [withId(7, VISIT)], [withId(7, other)])).toBe(true);
    expect(await same(byBody, [withId(7, VISIT)], [withId(8, VISIT)])).toBe(false);
    expect(await same(byBody, [VISIT], [VISIT])).toBe(true);
  });

  it("N-32, S-4 takes a known id for a repetition though the body has changed, also after the turn", async () => {
    const desk = await withHook({ ...signed, dedupe: "header:X-Event-Id" });
    const first = await send(desk, VISIT, { "X-Event-Id": "1" });
    await desk.work();
    const again = await send(desk, { ...VISIT, plate: "x" }, { "X-Event-Id": "1" });
    expect(again.status).toBe(200);
    expect(again.json).toEqual({ ...first.json, status: "duplicate" });
    expect(desk.rung).toEqual(["visit-1"]);
  });

  it("N-32, F-9 makes one arrival of fifty deliveries at once", async () => {
    const desk = await withHook();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(desk, VISIT)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(new Set(answers.map(({ json }) => json.turnId)).size).toBe(1);
  });

  it("N-32 keeps the ids of two hooks apart", async () => {
    const hook = { ...signed, dedupe: "header:X-Event-Id" };
    const desk = await withHook(hook, {
      webhooks: { "hello-park/gate_camera": hook, "hello-park/exit_camera": hook },
    });
    await send(desk, VISIT, { "X-Event-Id": "1" });
    const text = JSON.stringify(VISIT);
    const signature = createHmac("sha256", SECRET).update(text).digest("hex");
    const headers = { "X-Signature": signature, "X-Event-Id": "1" };
    const other = await desk.hook({ url: "/hooks/hello-park/exit_camera", headers, body: text });
    expect(other.status).toBe(202);
  });
});

describe("defaults of schemes", () => {
  const cases: [scheme: string, id: (id: string) => { headers?: Record<string, string>; body?: object }][] = [
    ["github", (id) => ({ headers: { "X-GitHub-Delivery": id } })],
    ["stripe", (id) => ({ body: { id } })],
    ["slack", (id) => ({ body: { event_id: id } })],
    ["standard", (id) => ({ headers: { "webhook-id": id } })],
  ];

  it.each(cases)("N-32 recognises %s's own event id", async (scheme, withId) => {
    const desk = await withHook({ verify: { scheme, secrets: ["ssm:camera"] } as WebhookConfig["verify"] });
    const sendWith = async (id: string, visit: number) => {
      const { headers, body } = withId(id);
      const text = JSON.stringify({ ...VISIT, visit_id: `visit-${visit}`, ...body });
      return desk.hook({
        url: CAMERA,
        headers: { ...headers, ...signatureOf(desk, scheme, text, headers) },
        body: text,
      });
    };
    expect((await sendWith("evt-1", 1)).status).toBe(202);
    desk.clock.advance(1000);
    expect((await sendWith("evt-1", 2)).status).toBe(200);
    expect((await sendWith("evt-2", 3)).status).toBe(202);
  });

  it("N-32, F-11 tells two equal bodies apart by their signed time, where they carry no id", async () => {
    const desk = await withHook({ verify: { scheme: "stripe", secrets: ["ssm:camera"] } });
    const text = JSON.stringify(VISIT);
    const sendNow = () => desk.hook({ url: CAMERA, headers: signatureOf(desk, "stripe", text), body: text });
    expect((await sendNow()).status).toBe(202);
    expect((await sendNow()).status).toBe(200);
    desk.clock.advance(1000);
    expect((await sendNow()).status).toBe(202);
  });

  it("N-33 answers Slack's question whether the address is ours, and fires nothing", async () => {
    const desk = await withHook({ verify: { scheme: "slack", secrets: ["ssm:camera"] } });
    const text = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1a" });
    const answer = await desk.hook({ url: CAMERA, headers: signatureOf(desk, "slack", text), body: text });
    expect(answer).toMatchObject({ status: 200, text: "3eZbrw1a" });
    expect(answer.headers["Content-Type"]).toMatch(/^text\/plain/);
    const unsigned = await desk.hook({ url: CAMERA, body: text });
    expect(unsigned.status).toBe(401);
    expect(desk.rung).toEqual([]);
  });

  function signatureOf(desk: Desk, scheme: string, body: string, headers: Record<string, string> = {}) {
    const time = String(desk.clock.now() / 1000);
    const hex = (text: string) => createHmac("sha256", SECRET).update(text).digest("hex");
    const signatures: Record<string, Record<string, string>> = {
      github: { "X-Hub-Signature-256": `sha256=${hex(body)}` },
      stripe: { "Stripe-Signature": `t=${time},v1=${hex(`${time}.${body}`)}` },
      slack: { "X-Slack-Request-Timestamp": time, "X-Slack-Signature": `v0=${hex(`v0:${time}:${body}`)}` },
      standard: {
        "webhook-timestamp": time,
        "webhook-signature": `v1,${createHmac("sha256", Buffer.from(SECRET, "base64"))
          .update(`${headers["webhook-id"]}.${time}.${body}`)
          .digest("base64")}`,
      },
    };
    return signatures[scheme] ?? {};
  }
});

describe("after acceptance", () => {
  it("N-34, S-19 holds an event for a session that a person decides on, and fires it afterwards", async () => {
    const desk = await withHook();
    await send(desk, VISIT);
    await desk.work();
    const second = await send(desk, { ...VISIT, plate: "CD 34" });
    await desk.work();
    expect(await desk.intake.receipt(second.json.turnId)).toMatchObject({ status: "queued" });

    const park = (await desk.intake.sessions.get("visit-1"))?.pending?.parkId;
    const input = { kind: "decision", target: "open-barrier", park } as const;
    await desk.intake.accept({ sessionId: "visit-1", input }, { source: "api" });
    await desk.work();

    expect(await desk.intake.receipt(second.json.turnId)).toMatchObject({ status: "settled" });
  });

  it("F-12, S-16 takes events in the order of acceptance, whatever times their senders signed", async () => {
    const desk = await withHook({ verify: { scheme: "stripe", secrets: ["ssm:camera"] } });
    const sendAt = (seconds: number, visitor: string) => {
      const text = JSON.stringify({ ...VISIT, visitor });
      const time = desk.clock.now() / 1000 + seconds;
      const digest = createHmac("sha256", SECRET).update(`${time}.${text}`).digest("hex");
      return desk.hook({ url: CAMERA, headers: { "Stripe-Signature": `t=${time},v1=${digest}` }, body: text });
    };
    const later = await sendAt(60, "Ada");
    const earlier = await sendAt(-60, "Bo");
    expect([later.json.seq, earlier.json.seq]).toEqual([1, 2]);
    await desk.work();
    expect(await variablesOf(desk, "visit-1")).toMatchObject({ visitor: "Ada" });
  });

  it("N-34, S-18 keeps the event of a workflow that is out of service as a failure", async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const state = "{ type: code, script: scripts/run.js, triggers: { manual: {}, rung: { message: false } } }";
    writeTree(folder.dir, {
      "workflows/bell/workflow.yaml": `runtime: { engine: archmax-harness, version: "3" }\ndisabled: true\nstates: { run: ${state} }\n`,
      "workflows/bell/scripts/run.js": "/** Rings. */\nexport default async function () {}\n",
    });
    const desk = await withHook(signed, { rootDir: folder.dir, webhooks: { "bell/rung": signed } });
    const digest = createHmac("sha256", SECRET).update("{}").digest("hex");

    const answer = await desk.hook({ url: "/hooks/bell/rung", headers: { "X-Signature": digest }, body: "{}" });
    expect(answer.status).toBe(202);
    await desk.work();

    const failures = await desk.api({ url: "/v1/hooks/failures" });
    expect(failures.json.items).toMatchObject([
      {
        workflow: "bell",
        trigger: "rung",
        source: "webhook",
        code: "workflow-disabled",
        sessionId: answer.json.sessionId,
      },
    ]);
  });

  it("N-41, F-101 logs what was asked and answered, and no value of it", async () => {
    const desk = await withHook();
    await send(desk, VISIT);
    await send(desk, VISIT, { "X-Signature": "no" });
    expect(desk.log).toEqual([
      {
        method: "POST",
        route: "/hooks/{workflow}/{trigger}",
        status: 202,
        sessionId: "visit-1",
        durationMs: 0,
        requestId: expect.any(String),
      },
      expect.objectContaining({ status: 401, code: "invalid-signature" }),
    ]);
    expect(JSON.stringify(desk.log)).not.toContain("Ada");
  });
});
