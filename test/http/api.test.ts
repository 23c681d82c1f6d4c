import { resolve } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { SERVICES } from "../../lib/http/gateway.fixture.js";
import { modelsFrom, ROUTES } from "../../lib/http/index.js";
import { givenChildren } from "../harness/builders.js";
import { type Answered, aDesk, type Desk, type DeskOptions, post } from "./desk.js";

const START = "/v1/workflows/hello-park/sessions";
const VISIT = { visit_id: "visit-1", plate: "AB 12", visitor: "Ada" };
const FIRST = { sessionId: "visit-1", message: "A car.", variables: VISIT };
const GUARD = ["gate@museum.example"];

const open: Desk[] = [];
afterEach(() => Promise.all(open.splice(0).map((desk) => desk.close())));

async function desk(options: DeskOptions = {}): Promise<Desk> {
  const made = await aDesk(options);
  open.push(made);
  return made;
}

/** A session that waits for the guard. */
async function parked(options: DeskOptions = {}): Promise<Desk & { park: string }> {
  const made = await desk(options);
  await made.api(post(START, FIRST));
  await made.work();
  const park = (await made.intake.sessions.get("visit-1"))?.pending?.parkId ?? "";
  return Object.assign(made, { park });
}

const get = (made: Desk, url: string, headers: Record<string, string> = {}) => made.api({ url, headers });
const problem = (status: number, code: string) => ({ status, json: { code, status } });

describe.each(SERVICES)("the API through %s", (service) => {
  it("N-7, N-9, N-10, N-11 accepts a turn, tells where it is, and shows its outcome once it has settled", async () => {
    const made = await desk({ service });

    const accepted = await made.api(post(START, FIRST));

    expect(accepted.status).toBe(202);
    expect(accepted.headers).toMatchObject({
      "Cache-Control": "no-store",
      Location: `/v1/turns/${accepted.json.turnId}`,
    });
    expect(accepted.json).toEqual({
      turnId: expect.any(String),
      sessionId: "visit-1",
      workflow: "hello-park",
      disposition: "turn",
      seq: 1,
      status: "queued",
      createdAt: "2026-03-20T09:00:00.000Z",
      links: { session: "/v1/sessions/visit-1" },
    });

    await made.work();
    const settled = await get(made, accepted.headers.Location ?? "");
    expect(settled.status).toBe(200);
    expect(settled.json).toMatchObject({
      status: "settled",
      workflow: "hello-park",
      outcome: { kind: "parked", disposition: "turn", state: "ask-guard", parkedChannel: "decision" },
    });
    expect(settled.json.outcome.messages).toBeUndefined();
    expect(settled.json.outcome.auditTrail).toMatchObject([
      { to: "check-in", kind: "trigger", ts: "2026-03-20T09:00:00.000Z" },
      { to: "ask-guard", kind: "code" },
    ]);
  });

  it("N-2, F-100 takes session ids with slashes, percent signs and other scripts in bodies, paths and links", async () => {
    const made = await desk({ service });
    for (const sessionId of ["orders/2026/7", "50%", "a%2Fb", "日本 ü"]) {
      const { json } = await made.api(post(START, { ...FIRST, sessionId }));
      expect(json.sessionId).toBe(sessionId);
      await made.work();
      const session = await get(made, json.links.session);
      expect(session.json).toMatchObject({ sessionId, status: "awaiting_decision" });
      const decided = await made.api(post(`${json.links.session}/decision`, { target: "open-barrier" }));
      expect(decided).toMatchObject({ status: 202, json: { sessionId, disposition: "decide" } });
    }
  });
});

describe("turns", () => {
  it("N-10 holds the answer until the turn has settled, and says so", async () => {
    const made = await desk();
    const answering = made.api(post(START, FIRST, { Prefer: "respond-async, wait=10" }));
    await expect.poll(() => made.rung.length).toBe(1);
    await made.work();
    made.clock.advance(1000);

    const answer = await answering;
    expect(answer.status).toBe(200);
    expect(answer.headers["Preference-Applied"]).toBe("wait=10");
    expect(answer.json).toMatchObject({ status: "settled", outcome: { kind: "parked" } });
  });

  it("N-10, N-6, S-101 answers 202 when the time is over, which is 25 s at most", async () => {
    const made = await desk();
    const answering = made.api(post(START, FIRST, { Prefer: "wait=100" }));
    await expect.poll(() => made.rung.length).toBe(1);
    let isAnswered = false;
    void answering.then(() => {
      isAnswered = true;
    });
    for (let second = 0; second < 24; second += 1) {
      made.clock.advance(1000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(isAnswered).toBe(false);
    made.clock.advance(2000);
    const answer = await answering;
    expect(answer.status).toBe(202);
    expect(answer.headers["Preference-Applied"]).toBeUndefined();
  });

  it.each(["wait", "wait=x", "wait=-1", "respond-async", "return=minimal", ""])(
    "N-10 answers at once with `Prefer: %s`",
    async (prefer) => {
      const made = await desk();
      expect((await made.api(post(START, FIRST, { Prefer: prefer }))).status).toBe(202);
    },
  );

  it("N-12 also waits when a turn is looked at", async () => {
    const made = await desk();
    const { json } = await made.api(post(START, FIRST));
    const looking = get(made, `/v1/turns/${json.turnId}`, { Prefer: "wait=5" });
    await made.work();
    made.clock.advance(1000);
    expect((await looking).json.status).toBe("settled");
    expect((await get(made, "/v1/turns/arr-none")).json).toMatchObject({ code: "not-found" });
  });

  it("N-12, N-9 cancels a queued turn, which becomes superseded, and no settled one", async () => {
    const made = await desk();
    const { json } = await made.api(post(START, FIRST));
    const cancelled = await made.api(post(`/v1/turns/${json.turnId}/cancel`, {}));
    expect(cancelled).toMatchObject({ status: 202, json: { status: "superseded" } });
    await made.work();
    expect(await made.intake.sessions.get("visit-1")).toBeNull();

    const again = await made.api({ method: "POST", url: `/v1/turns/${json.turnId}/cancel` });
    expect(again).toMatchObject(problem(409, "turn-settled"));
  });

  it("N-11 shows the steps of the turn, or the whole trail where that is asked for", async () => {
    const made = await parked();
    made.clock.advance(60_000);
    const { json } = await made.api(post("/v1/sessions/visit-1/decision", { target: "open-barrier" }));
    await made.work();
    const kindsOf = async (query: string) => {
      const turn = await get(made, `/v1/turns/${json.turnId}${query}`);
      return turn.json.outcome.auditTrail.map((step: { kind: string }) => step.kind);
    };
    expect(await kindsOf("")).toEqual(["human"]);
    expect(await kindsOf("?include=trail")).toEqual(["trigger", "code", "human"]);
    const first = await made.api(post(START, { ...FIRST, message: "A car." }, { "Idempotency-Key": "k" }));
    await made.work();
    const later = await get(made, `/v1/turns/${first.json.turnId}?include=messages`);
    expect(later.json.outcome.auditTrail.map(({ kind }: { kind: string }) => kind)).toEqual(["trigger", "code"]);
    expect(later.json.outcome.messages[0]).toMatchObject({ role: "user", content: "A car." });
    const bad = await get(made, `/v1/turns/${json.turnId}?include=everything`);
    expect(bad).toMatchObject(problem(400, "invalid-request"));
  });

  it("N-11 keeps locked values from those who may not read variables", async () => {
    const made = await parked();
    const { turnId } = (await made.api(post(START, FIRST, { "Idempotency-Key": "x" }))).json;
    const key = await made.key({ scopes: ["sessions:read"] });
    const headers = { Authorization: `Bearer ${key}` };
    for (const url of ["/v1/sessions/visit-1", "/v1/sessions/visit-1/variables"]) {
      const { variables } = (await get(made, url, headers)).json;
      expect(variables.plate).toEqual({ locked: true });
      expect(variables.title).toEqual({ value: "Visit of Ada", locked: false });
      expect((await get(made, url)).json.variables.plate).toEqual({ value: "AB 12", locked: true });
    }
    const listed = await get(made, "/v1/sessions", headers);
    expect(listed.json.items[0].variables.plate).toEqual({ locked: true });
    await made.work();
    expect((await get(made, `/v1/turns/${turnId}`, headers)).text).not.toContain("AB 12");
  });

  it("N-8, N-9 shows why a turn was refused that could be accepted", async () => {
    const made = await parked();
    const first = await made.api(post("/v1/sessions/visit-1/decision", { target: "open-barrier" }));
    const second = await made.api(post("/v1/sessions/visit-1/decision", { target: "turn-away", park: made.park }));
    expect([first.status, second.status]).toEqual([202, 202]);
    await made.work();
    const refused = await get(made, `/v1/turns/${second.json.turnId}`);
    expect(refused.status).toBe(200);
    expect(refused.json).toMatchObject({ status: "refused", problem: { code: "session-not-parked", status: 409 } });
  });

  it("N-9, H-67 shows with which exit a turn ended that threw", async () => {
    const made = await desk();
    const variables = { minutes: 5 };
    const { json } = await made.api(post("/v1/workflows/hello-wait/sessions", { message: "Wait.", variables }));
    await made.work();
    const turn = await get(made, `/v1/turns/${json.turnId}`);
    expect(turn.status).toBe(200);
    expect(turn.json).toMatchObject({ status: "error", exit: { success: false, code: "turn-error" } });
    expect(turn.json.outcome).toBeUndefined();
  });

  it("N-9, S-91 shows of a turn that was given up where its input is kept", async () => {
    const made = await desk();
    const { json } = await made.api(post(START, FIRST));
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const now = made.clock.now();
      const claim = await made.store.claim("visit-1", { owner: "crashing", now, leaseMs: 1000 });
      expect(claim.kind).toBe("claimed");
      if (claim.kind === "claimed") await made.store.release(claim.lease, { now, failed: "it crashed", retryAt: now });
      made.clock.advance(1000);
    }
    await made.work();
    const turn = await get(made, `/v1/turns/${json.turnId}`);
    expect(turn.json).toMatchObject({ status: "dead", problem: { code: "gave-up" } });
    const failures = await get(made, "/v1/hooks/failures");
    expect(failures.json.items).toMatchObject([{ id: turn.json.deadLetterId, code: "gave-up", source: "api" }]);
  });

  it("N-12, S-20 tells a running turn to stop", async () => {
    const made = await desk();
    const { json } = await made.api(post(START, FIRST));
    await made.store.claim("visit-1", { owner: "other", now: made.clock.now(), leaseMs: 60_000 });
    const cancelled = await made.api(post(`/v1/turns/${json.turnId}/cancel`, {}));
    expect(cancelled).toMatchObject({ status: 202, json: { status: "running" } });
    expect((await made.store.read("visit-1"))?.record.cancelRequested).toBe(true);
  });

  it("N-9, S-87 shows of a turn whose session was deleted no more than how it ended", async () => {
    const made = await parked();
    const { json } = await made.api(post("/v1/sessions/visit-1/decision", { target: "turn-away" }));
    await made.work();
    await made.api({ method: "DELETE", url: "/v1/sessions/visit-1" });
    const turn = await get(made, `/v1/turns/${json.turnId}`);
    expect(turn.json).toMatchObject({ status: "settled", outcome: { kind: "completed" } });
    expect(Object.keys(turn.json.outcome)).toEqual(["kind"]);
  });
});

describe("inputs for a session", () => {
  it("N-7 sends a turn to a session, which needs no workflow once it is there", async () => {
    const made = await desk();
    const unknown = await made.api(post("/v1/sessions/visit-1/turns", { message: "A car.", variables: VISIT }));
    expect(unknown).toMatchObject(problem(404, "not-found"));
    const { sessionId: _, ...turn } = FIRST;
    const started = await made.api(post("/v1/sessions/visit-1/turns", { ...turn, workflow: "hello-park" }));
    expect(started).toMatchObject({ status: 202, json: { sessionId: "visit-1", workflow: "hello-park" } });
    await made.work();
    const more = await made.api(post("/v1/sessions/visit-1/turns", { message: "Well?" }));
    expect(more).toMatchObject({ status: 202, json: { seq: 2, workflow: "hello-park" } });
  });

  it("N-7, N-38 decides in the principal's name", async () => {
    const made = await parked();
    const answer = await made.api(post("/v1/sessions/visit-1/decision", { target: "open-barrier", comment: "Fine." }));
    expect(answer).toMatchObject({ status: 202, json: { disposition: "decide" } });
    await made.work();
    const { items } = (await get(made, "/v1/sessions/visit-1/trail")).json;
    expect(items.at(-1)).toMatchObject({
      kind: "human",
      to: "open-barrier",
      reason: "Fine.",
      by: made.log[0]?.principal,
    });
    expect(made.log[0]?.principal).toMatch(/^key:/);
  });

  it("N-7 replies and delivers, each where the session takes it", async () => {
    const made = await parked();
    const delivery = { trigger: { id: "camera" } };
    const wrong = await made.api(post("/v1/sessions/visit-1/deliveries", delivery));
    expect(wrong).toMatchObject(problem(409, "session-not-awaiting-input"));
    const reply = await made.api(post("/v1/sessions/visit-1/replies", { message: "Who is it?" }));
    expect(reply).toMatchObject({ status: 202, json: { disposition: "reply" } });
  });

  it("N-14 takes files inline", async () => {
    const made = await desk();
    const content = Buffer.from("picture").toString("base64");
    const files = { photo: { name: "car.txt", content } };
    const answer = await made.api(post(START, { ...FIRST, files }));
    expect(answer.status).toBe(202);
    await made.work();
    const { variables } = (await get(made, "/v1/sessions/visit-1")).json;
    expect(variables.photo.value).toBe("scratchpad/attachments/car.txt");
    for (const bad of ["no base64!", "YQ", "YQ=a"]) {
      const refused = await made.api(post(START, { ...FIRST, files: { photo: { name: "a", content: bad } } }));
      expect(refused).toMatchObject(problem(400, "invalid-turn-file"));
    }
  });

  it("A-33 N-5 N-7 takes the models that the environment lists, to the letter, and no other", async () => {
    const made = await desk({ models: modelsFrom(" vendor/A:1, other,") });

    const answers = await Promise.all(
      ["vendor/A:1", "Other", "vendor/a:1", ""].map((model, n) =>
        made.api(post(START, { ...FIRST, sessionId: `own-${n}`, model })),
      ),
    );

    expect(answers.map(({ status, json }) => json.code ?? status)).toEqual([
      202,
      ...Array(3).fill("model-not-allowed"),
    ]);
    const own = (await made.store.claim("own-0", { owner: "x", now: made.clock.now(), leaseMs: 1 })) as {
      work?: { arrival: { input: unknown } };
    };
    expect(own.work?.arrival.input).toMatchObject({ kind: "turn", model: "vendor/A:1" });
  });

  const refusals: [body: object, status: number, code: string, url?: string][] = [
    [{ ...FIRST, sessionId: "a/../b" }, 400, "invalid-session-id"],
    [{ ...FIRST, sessionId: "" }, 400, "invalid-session-id"],
    [{ ...FIRST, sessionId: "x~y" }, 400, "invalid-session-id"],
    [{ ...FIRST, sessionId: "scratchpad/a" }, 400, "invalid-session-id"],
    [{ ...FIRST, variables: { ...VISIT, Bad: 1 } }, 400, "invalid-variable-name"],
    [{ message: "a", variables: VISIT, sessionPath: "Not one" }, 400, "invalid-session-path"],
    [{ ...FIRST, trigger: { id: "nothing" } }, 422, "unknown-trigger"],
    [{ ...FIRST, message: " " }, 422, "empty-message"],
    [{ ...FIRST, variables: { ...VISIT, plate: 7 } }, 422, "invalid-variables"],
    [{ ...FIRST, variables: { ...VISIT, title: 7 } }, 422, "invalid-variables"],
    [{ ...FIRST, model: "other" }, 422, "model-not-allowed"],
    [FIRST, 404, "not-found", "/v1/workflows/nobody/sessions"],
    [{ target: "open-barrier" }, 409, "session-not-parked", "/v1/sessions/visit-9/decision"],
    [{ message: "Hm" }, 404, "not-found", "/v1/sessions/visit-9/replies"],
    [{}, 422, "missing-trigger", "/v1/sessions/visit-1/deliveries"],
    [{ target: "nowhere" }, 422, "invalid-decision-target", "/v1/sessions/visit-1/decision"],
    [{}, 422, "invalid-decision-target", "/v1/sessions/visit-1/decision"],
    [{ target: "open-barrier", park: "other" }, 409, "stale-decision", "/v1/sessions/visit-1/decision"],
    [{ target: "open-barrier", seq: 7 }, 409, "stale-decision", "/v1/sessions/visit-1/decision"],
    [{ message: "" }, 422, "empty-message", "/v1/sessions/visit-1/replies"],
    [{ message: "a", workflow: "hello-wait" }, 409, "session-workflow-mismatch", "/v1/sessions/visit-1/turns"],
    [{ message: "a" }, 409, "session-busy", "/v1/sessions/visit-1~1/turns"],
    [{ message: "a" }, 400, "invalid-session-id", "/v1/sessions/..%2Fa/turns"],
  ];

  it("N-5, N-8, F-100 tells each problem by its code, and accepts nothing", async () => {
    const made = await parked();
    const rings = made.rung.length;
    for (const [body, status, code, url = START] of refusals) {
      const sent =
        url === START && "sessionId" in body && body.sessionId === "visit-1" ? { ...body, sessionId: "new" } : body;
      const answer = await made.api(post(url, sent));
      expect({ url, body, status: answer.status, code: answer.json.code }).toEqual({ url, body, status, code });
    }
    expect(made.rung).toHaveLength(rings);
    expect(await made.intake.receipt("new")).toBeNull();
    expect(await made.store.read("new")).toBeNull();
  });

  it("N-5 says which variables are wrong, and which targets there are", async () => {
    const made = await parked();
    const { json } = await made.api(post(START, { message: "a", sessionId: "new", variables: { plate: "x" } }));
    expect(json.errors).toEqual([
      { pointer: "/variables/visit_id", code: "missing", detail: expect.any(String) },
      { pointer: "/variables/plate", code: "invalid", detail: expect.any(String) },
      { pointer: "/variables/visitor", code: "missing", detail: expect.any(String) },
    ]);
    const target = await made.api(post("/v1/sessions/visit-1/decision", { target: "x" }));
    expect(target.json.validTargets).toEqual(["open-barrier", "turn-away", "hold-car"]);
  });
});

describe("idempotency keys", () => {
  const KEY = { "Idempotency-Key": "order-7" };

  it("N-13, F-9, F-10 answers a repetition with the first one's turn, and another request with 422", async () => {
    const made = await desk();
    const first = await made.api(post(START, FIRST, KEY));
    const again = await made.api(post(START, { variables: VISIT, message: "A car.", sessionId: "visit-1" }, KEY));
    expect(first.headers["Idempotency-Replayed"]).toBeUndefined();
    expect(again).toMatchObject({ status: 202, headers: { "Idempotency-Replayed": "true" } });
    expect(again.json).toEqual(first.json);

    for (const other of [
      post(START, { ...FIRST, message: "Another car." }, KEY),
      post("/v1/sessions/visit-1/turns", { message: "A car.", variables: VISIT }, KEY),
    ]) {
      expect(await made.api(other)).toMatchObject(problem(422, "idempotency-key-reused"));
    }
    await made.work();
    expect((await made.store.read("visit-1"))?.record.acceptedSeq).toBe(1);
  });

  it("N-13 is answered before the checks that the first one's effect makes fail", async () => {
    const made = await parked();
    const decision = post("/v1/sessions/visit-1/decision", { target: "open-barrier" }, KEY);
    const first = await made.api(decision);
    await made.work();
    const again = await made.api(decision);
    expect(again.json.turnId).toBe(first.json.turnId);
    expect(again.json.status).toBe("settled");
    expect(again.headers["Idempotency-Replayed"]).toBe("true");
    const other = await made.api(post("/v1/sessions/visit-1/decision", { target: "turn-away" }));
    expect(other).toMatchObject(problem(409, "session-not-parked"));
  });

  it("N-13 leaves no key behind where nothing was accepted", async () => {
    const made = await desk();
    const bad = await made.api(post(START, { ...FIRST, variables: {} }, KEY));
    expect(bad.status).toBe(422);
    expect((await made.api(post(START, FIRST, KEY))).status).toBe(202);
  });

  it("N-13, F-30 runs a turn once for parallel first requests", async () => {
    const made = await desk();
    const answers = await Promise.all(Array.from({ length: 20 }, () => made.api(post(START, FIRST, KEY))));
    expect(new Set(answers.map(({ json }) => json.turnId)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers["Idempotency-Replayed"] === undefined)).toHaveLength(1);
  });

  it("N-13 keeps the keys of two principals apart, and names the session by the key where nothing else does", async () => {
    const made = await desk();
    const body = { message: "A car.", variables: VISIT };
    const first = await made.api(post(START, body, KEY));
    const again = await made.api(post(START, body, KEY));
    const other = await made.api(post(START, body, { ...KEY, Authorization: `Bearer ${await made.key()}` }));
    expect(again.json.sessionId).toBe(first.json.sessionId);
    expect(other.json.sessionId).not.toBe(first.json.sessionId);
  });

  it.each(["", "a b", "ü", "x".repeat(256)])("N-13 refuses the key %j", async (key) => {
    const made = await desk();
    const answer = await made.api(post(START, FIRST, { "Idempotency-Key": key }));
    expect(answer).toMatchObject(problem(400, "invalid-request"));
  });

  it("F-30, S-5 takes a person's same decision twice for one", async () => {
    const made = await parked();
    const decision = { target: "open-barrier", park: made.park };
    const [first, second] = await Promise.all([
      made.api(post("/v1/sessions/visit-1/decision", decision)),
      made.api(post("/v1/sessions/visit-1/decision", { ...decision, comment: "Again." })),
    ]);
    expect(first?.json.turnId).toBe(second?.json.turnId);
    await made.work();
    const { items } = (await get(made, "/v1/sessions/visit-1/trail")).json;
    expect(items.filter(({ kind }: { kind: string }) => kind === "human")).toHaveLength(1);
  });
});

describe("what is asked wrongly", () => {
  it("N-1 refuses unknown members by where they stand, without their values", async () => {
    const made = await desk();
    const answer = await made.api(
      post(START, { ...FIRST, mesage: "secret", trigger: { id: "manual", "a/b": "secret" } }),
    );
    expect(answer).toMatchObject(problem(400, "invalid-request"));
    expect(answer.json.errors).toContainEqual({ pointer: "/mesage", code: "unknown", detail: expect.any(String) });
    expect(answer.text).not.toContain("secret");
    const wrong = await made.api(post("/v1/sessions/visit-1/replies", { message: 7 }));
    expect(wrong.json.errors).toEqual([{ pointer: "/message", code: "invalid", detail: "It must be of type string." }]);
    const missing = await made.api(post("/v1/sessions/visit-1/replies", {}));
    expect(missing.json.errors).toEqual([{ pointer: "/message", code: "missing", detail: expect.any(String) }]);
    const stray = await made.api(post("/v1/turns/x/cancel", { now: true }));
    expect(stray).toMatchObject(problem(400, "invalid-request"));
  });

  it.each(["{", "[]", `"text"`, "null", '{"message":"\ud800"', `{"variables":{"__proto__":{"a":1}}}`, ""])(
    "N-5, F-81 answers 400 to the body %s",
    async (body) => {
      const made = await desk();
      const answer = await made.api({ ...post(START, {}), url: "/v1/sessions/a/replies", body });
      expect(answer).toMatchObject(problem(400, "invalid-request"));
    },
  );

  it("F-81, N-1 reads JSON types with charset and suffix, or none, and answers 415 to others", async () => {
    const made = await desk();
    const typed = (type: string | null, n: number) => {
      const { headers: _, ...sent } = post(START, { ...FIRST, sessionId: `s${n}` });
      return made.api({ ...sent, headers: type === null ? {} : { "content-TYPE": type } });
    };
    expect((await typed("application/json; charset=UTF-8", 1)).status).toBe(202);
    expect((await typed("application/merge-patch+json", 2)).status).toBe(202);
    expect((await typed(null, 3)).status).toBe(202);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16"]) {
      expect(await typed(type, 4)).toMatchObject(problem(415, "unsupported-media-type"));
    }
  });

  it("N-5 answers 404 to unknown addresses, 405 with the methods there are, 406 where JSON is not accepted", async () => {
    const made = await desk();
    for (const url of ["/", "/v1", "/v1/nothing", "/v1/sessions/", "/v1/sessions/a/artifacts", "/mcp"]) {
      expect(await get(made, url)).toMatchObject(problem(404, "not-found"));
    }
    const wrong = await made.api({ method: "PUT", url: "/v1/sessions/a" });
    expect(wrong).toMatchObject({ ...problem(405, "method-not-allowed"), headers: { Allow: "GET, DELETE" } });
    for (const accept of ["text/html", "application/json;q=0", "application/json;q=0, */*", "text/*"]) {
      expect(await get(made, "/v1/me", { Accept: accept })).toMatchObject(problem(406, "not-acceptable"));
    }
    for (const accept of ["*/*", "text/html, application/*;q=0.1", "application/json", ""]) {
      expect((await get(made, "/v1/me", { Accept: accept })).status).toBe(200);
    }
  });

  it("N-6 refuses bodies over 256 KB, and files over 4 MB in all, which do not count into the former", async () => {
    const made = await desk({ limits: { fileBytes: 600_000 } });
    const big = await made.api(post(START, { ...FIRST, message: "x".repeat(256 * 1024) }));
    expect(big).toMatchObject(problem(413, "too-large"));
    const file = (bytes: number) => ({ photo: { name: "a.bin", content: Buffer.alloc(bytes).toString("base64") } });
    expect((await made.api(post(START, { ...FIRST, files: file(600_000) }))).status).toBe(202);
    const many = await made.api(post(START, { ...FIRST, files: file(600_001) }));
    expect(many).toMatchObject(problem(413, "too-large"));
  });

  it("N-3 gives every answer the request's id", async () => {
    const made = await desk();
    const id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    for (const url of ["/healthz", "/v1/me", "/v1/nothing", "/v1/sessions"]) {
      expect((await get(made, url, { "X-Request-Id": id })).headers["X-Request-Id"]).toBe(id);
    }
  });
});

describe("sessions", () => {
  async function several(count: number): Promise<Desk> {
    const made = await desk();
    for (let n = 1; n <= count; n += 1) {
      made.clock.advance(1000);
      await made.api(post(START, { ...FIRST, sessionId: `s${n}` }));
      await made.work();
    }
    return made;
  }
  const ids = ({ json }: Answered) => json.items.map(({ sessionId }: { sessionId: string }) => sessionId);

  it("N-15 lists the latest activity first, in pages, and skips none while sessions change", async () => {
    const made = await several(5);
    const first = await get(made, "/v1/sessions?limit=2");
    expect(ids(first)).toEqual(["s5", "s4"]);
    made.clock.advance(1000);
    await made.api(post("/v1/sessions/s2/decision", { target: "turn-away" }));
    await made.api(post(START, { ...FIRST, sessionId: "s6" }));
    await made.work();

    const second = await get(made, `/v1/sessions?limit=2&cursor=${first.json.nextCursor}`);
    const third = await get(made, `/v1/sessions?limit=2&cursor=${second.json.nextCursor}`);
    // s2 moved ahead before it was shown; s6 is new since.
    expect(ids(second)).toEqual(["s3", "s1"]);
    expect(ids(third)).toEqual(["s2"]);
    expect(third.json.nextCursor).toBeUndefined();
  });

  it("N-15 ends without a cursor, and refuses one that it did not give", async () => {
    const made = await several(3);
    const first = await get(made, "/v1/sessions?limit=2");
    const second = await get(made, `/v1/sessions?limit=2&cursor=${first.json.nextCursor}`);
    expect(ids(second)).toEqual(["s1"]);
    expect(second.json.nextCursor).toBeUndefined();
    for (const query of ["cursor=x", "limit=0", "limit=101", "limit=a", "limit=1&limit=2", "page=1", "status=gone"]) {
      expect(await get(made, `/v1/sessions?${query}`)).toMatchObject(problem(400, "invalid-request"));
    }
  });

  it("N-15 narrows by workflow, status, classification and parent", async () => {
    const made = await several(2);
    await made.api(post("/v1/sessions/s1/decision", { target: "turn-away" }));
    await made.work();
    expect(ids(await get(made, "/v1/sessions?status=completed"))).toEqual(["s1"]);
    expect(ids(await get(made, "/v1/sessions?classification=open"))).toEqual(["s2"]);
    expect(ids(await get(made, "/v1/sessions?classification=open&status=completed"))).toEqual([]);
    expect(ids(await get(made, "/v1/sessions?classification=finished&status=completed"))).toEqual(["s1"]);
    expect(ids(await get(made, "/v1/sessions?workflow=hello-wait"))).toEqual([]);
    expect(ids(await get(made, "/v1/sessions?workflow=hello-park&classification=finished"))).toEqual(["s1"]);
    expect(ids(await get(made, "/v1/sessions?parent=s1"))).toEqual([]);
    expect(ids(await get(made, "/v1/sessions?dueBefore=2026-01-01T00:00:00Z"))).toEqual([]);
  });

  it("N-15, N-17 reads the history of no session that is not a child of the one asked for", async () => {
    const read: string[] = [];
    const made = await parked({
      wrapStore: (store) => ({
        ...store,
        read: (sessionId, now) => {
          read.push(sessionId);
          return store.read(sessionId, now);
        },
      }),
    });
    for (const sessionId of ["visit-2", "visit-3"]) await made.api(post(START, { ...FIRST, sessionId }));
    await made.work();
    read.length = 0;
    expect((await get(made, "/v1/sessions?parent=visit-1")).json.items).toEqual([]);
    expect(read).toEqual([]);
    expect((await made.api({ method: "DELETE", url: "/v1/sessions/visit-1?children=true" })).status).toBe(204);
    expect(read).not.toContain("visit-2");
  });

  it("N-16 shows what a person is asked, so that it can be answered", async () => {
    const made = await parked();
    const { json, headers } = await get(made, "/v1/sessions/visit-1");
    expect(json).toMatchObject({
      sessionId: "visit-1",
      workflow: "hello-park",
      status: "awaiting_decision",
      classification: "open",
      title: "Visit of Ada",
      createdAt: "2026-03-20T09:00:00.000Z",
      updatedAt: "2026-03-20T09:00:00.000Z",
      pending: { parkId: made.park, approvers: GUARD, transitions: [{ to: "open-barrier" }, {}, {}] },
    });
    expect(headers["Cache-Control"]).toBe("no-store");
    for (const more of ["", "/trail", "/variables"]) {
      expect(await get(made, `/v1/sessions/nobody${more}`)).toMatchObject(problem(404, "not-found"));
    }
  });

  it("N-17 deletes a session once", async () => {
    const made = await parked();
    const remove = () => made.api({ method: "DELETE", url: "/v1/sessions/visit-1" });
    expect(await remove()).toMatchObject({ status: 204, text: "" });
    expect(await remove()).toMatchObject(problem(404, "not-found"));
    expect(await get(made, "/v1/sessions/visit-1")).toMatchObject(problem(404, "not-found"));
  });

  it("N-17 S-88 deletes the session's children with it when asked to", async () => {
    const made = await parked();
    await givenChildren(made.store, "visit-1", ["visit-1~1", "visit-1~1~1"], { now: made.clock.now() });
    const listed = await get(made, "/v1/sessions?parent=visit-1");
    expect(listed.json.items).toMatchObject([
      { sessionId: "visit-1~1", parentSessionId: "visit-1" },
      { sessionId: "visit-1~1~1", parentSessionId: "visit-1~1" },
    ]);

    const remove = () => made.api({ method: "DELETE", url: "/v1/sessions/visit-1?children=true" });
    expect((await remove()).status).toBe(204);
    expect(await remove()).toMatchObject(problem(404, "not-found"));
    expect((await get(made, "/v1/sessions")).json.items).toEqual([]);
  });

  it("N-17 S-88 R-200 leaves the children otherwise, to be read and deleted by their own ids", async () => {
    const made = await parked();
    const children = ["visit-1~1", "visit-1~1~1", "visit-1~2"];
    await givenChildren(made.store, "visit-1", children, { now: made.clock.now() });
    const remove = (id: string) => made.api({ method: "DELETE", url: `/v1/sessions/${encodeURIComponent(id)}` });
    expect((await remove("visit-1")).status).toBe(204);

    expect(await get(made, "/v1/sessions/visit-1~1")).toMatchObject({
      status: 200,
      json: { status: "completed", parentSessionId: "visit-1" },
    });
    expect((await remove("visit-1~1")).status).toBe(204);
    expect(await remove("visit-1~1")).toMatchObject(problem(404, "not-found"));
    const orphans = () => made.api({ method: "DELETE", url: "/v1/sessions/visit-1?children=true" });
    expect((await orphans()).status).toBe(204);
    expect(await orphans()).toMatchObject(problem(404, "not-found"));
  });

  it("N-17 S-88 deletes no child alone that its root presents", async () => {
    const made = await parked();
    await givenChildren(made.store, "visit-1", ["visit-1~1"], { now: made.clock.now(), delegation: "visit-1~1" });

    const busy = await made.api({ method: "DELETE", url: "/v1/sessions/visit-1~1" });
    expect(busy).toMatchObject(problem(409, "session-busy"));
    expect(busy.json.detail).toContain('belongs to "visit-1"');
    expect((await get(made, "/v1/sessions/visit-1~1")).status).toBe(200);
  });

  it("N-17 deletes no session while a turn runs", async () => {
    const made = await parked();
    await made.api(post("/v1/sessions/visit-1/decision", { target: "turn-away" }));
    const now = made.clock.now();
    const claim = await made.store.claim("visit-1", { owner: "other", now, leaseMs: 60_000 });
    expect(claim.kind).toBe("claimed");
    const busy = await made.api({ method: "DELETE", url: "/v1/sessions/visit-1?children=true" });
    expect(busy).toMatchObject({ ...problem(409, "session-busy"), headers: { "Retry-After": "2" } });
  });
});

describe("who may", () => {
  const as = async (made: Desk, wanted: Parameters<Desk["key"]>[0]) => ({
    Authorization: `Bearer ${await made.key(wanted)}`,
  });

  it("N-36 takes an API key until it expires or is revoked, which is within a minute", async () => {
    const made = await desk();
    const expiring = await as(made, { expiresAt: made.clock.now() + 120_000 });
    expect((await get(made, "/v1/me", expiring)).status).toBe(200);
    made.clock.advance(120_000);
    expect((await get(made, "/v1/me", expiring)).status).toBe(401);

    const revoked = await as(made, { name: "gone" });
    expect((await get(made, "/v1/me", revoked)).status).toBe(200);
    const { id } = (await made.keys.list()).find(({ name }) => name === "gone") ?? { id: "" };
    await made.keys.revoke(id, made.clock.now());
    made.clock.advance(60_000);
    expect((await get(made, "/v1/me", revoked)).status).toBe(401);
  });

  it("N-36 answers 401 to none, other and wrong credentials", async () => {
    const made = await desk();
    const { Authorization } = await as(made, {});
    const other = await as(made, { environment: "prod" });
    for (const value of [
      "Basic YTpi",
      "Bearer",
      "Bearer x",
      `${Authorization.slice(0, -1)}x`,
      other.Authorization,
      "AWS4-HMAC-SHA256 x",
    ]) {
      const answer = await get(made, "/v1/me", { Authorization: value });
      expect({ value, ...answer }).toMatchObject(problem(401, "unauthenticated"));
      expect(answer.headers["WWW-Authenticate"]).toBe("Bearer");
    }
    const last = Authorization.endsWith("0") ? "1" : "0";
    expect((await get(made, "/v1/me", { Authorization: Authorization.slice(0, -1) + last })).status).toBe(401);
    const unknown = Authorization.replace(/_[0-9a-f]{16}_/, "_0123456789abcdef_");
    expect((await get(made, "/v1/me", { Authorization: unknown })).status).toBe(401);
  });

  it("N-36 answers 400 to more than one credential", async () => {
    const made = await desk({ iam: { "*": ["sessions:read"] } });
    const headers = await as(made, {});
    const both = await made.api({ url: "/v1/me", headers, iamArn: "arn:aws:iam::1:user/a" });
    expect(both).toMatchObject(problem(400, "invalid-request"));
    const twice = await get(made, "/v1/me", { Authorization: `${headers.Authorization}, ${headers.Authorization}` });
    expect(twice).toMatchObject(problem(400, "invalid-request"));
  });

  it.each(SERVICES)("N-36, N-45 maps callers that %s verified to scopes by their ARN", async (service) => {
    const iam = {
      "arn:aws:sts::123456789012:assumed-role/Desk/*": ["sessions:start", "sessions:read"],
      "arn:aws:*:assumed-role/*/maria": ["sessions:delete"],
    } as const;
    const made = await desk({ iam, service });
    const me = (iamArn: string) =>
      made.api({ url: "/v1/me", iamArn, headers: { Authorization: "AWS4-HMAC-SHA256 Credential=x" } });
    const maria = await me("arn:aws:sts::123456789012:assumed-role/Desk/maria");
    expect(maria.json).toEqual({
      principal: "arn:aws:sts::123456789012:assumed-role/Desk/maria",
      scopes: ["sessions:delete", "sessions:read", "sessions:start"],
    });
    expect((await me("arn:aws:sts::999:assumed-role/Desk/bo")).json.scopes).toEqual([]);
    const stranger = await made.api({ url: "/v1/sessions", iamArn: "arn:aws:iam::1:user/x" });
    expect(stranger).toMatchObject(problem(403, "forbidden"));
  });

  it("N-36 ignores what a gateway verified where IAM is not enabled", async () => {
    const made = await desk();
    expect((await made.api({ url: "/v1/me", iamArn: "arn:aws:iam::1:user/x" })).status).toBe(401);
  });

  it("N-37, N-42 needs the scope of every route, and any credential for those without", async () => {
    const made = await desk();
    const none = await as(made, { scopes: [] });
    for (const route of Object.values(ROUTES)) {
      const url = route.path.replace("{workflow}", "hello-park").replaceAll(/\{\w+\}/g, "x");
      const answer = await made.api({
        ...(route.method === "POST" ? post(url, {}) : { url }),
        method: route.method,
        headers: none,
      });
      const isFree = route.scopes === null || route.scopes.length === 0;
      expect({ url, status: answer.status }).toEqual({ url, status: isFree ? 200 : 403 });
      const anonymous = await made.api({ url, method: route.method, headers: { Authorization: "" } });
      expect({ url, status: anonymous.status }).toEqual({ url, status: route.scopes === null ? 200 : 401 });
    }
  });

  it("N-37 starts a session through its turns only with the scope to start", async () => {
    const made = await parked();
    const sender = await as(made, { scopes: ["sessions:send"] });
    const turn = (id: string) =>
      post(`/v1/sessions/${id}/turns`, { message: "a", workflow: "hello-park", variables: VISIT }, sender);
    expect((await made.api(turn("visit-1"))).status).toBe(202);
    expect(await made.api(turn("visit-2"))).toMatchObject(problem(403, "forbidden"));
  });

  it("N-37 keeps a key that is for other workflows from seeing or touching a session", async () => {
    const made = await parked();
    const { turnId } = (await made.api(post("/v1/sessions/visit-1/replies", { message: "Hm" }))).json;
    const other = await as(made, { workflows: ["hello-wait"] });
    const nothing = problem(404, "not-found");
    expect(await made.api(post(START, FIRST, other))).toMatchObject(nothing);
    for (const [more, body] of [
      ["turns", { message: "a" }],
      ["decision", { target: "turn-away" }],
      ["replies", { message: "a" }],
      ["deliveries", { trigger: { id: "a" } }],
    ] as const) {
      expect(await made.api(post(`/v1/sessions/visit-1/${more}`, body, other))).toMatchObject(nothing);
    }
    for (const url of [
      "/v1/sessions/visit-1",
      "/v1/sessions/visit-1/trail",
      `/v1/turns/${turnId}`,
      "/v1/sessions?workflow=hello-park",
    ]) {
      expect({ url, ...(await get(made, url, other)) }).toMatchObject(nothing);
    }
    expect(await made.api({ method: "DELETE", url: "/v1/sessions/visit-1", headers: other })).toMatchObject(nothing);
    expect((await get(made, "/v1/sessions", other)).json.items).toEqual([]);
    const its = await as(made, { workflows: ["hello-park"] });
    expect((await get(made, "/v1/sessions", its)).json.items).toHaveLength(1);
    expect((await get(made, `/v1/turns/${turnId}`, its)).status).toBe(200);
  });

  it("N-37 tells a key that is for other workflows the same of what it is not for and of what is not there", async () => {
    const made = await parked();
    const { turnId } = (await made.api(post("/v1/sessions/visit-1/replies", { message: "Hm" }))).json;
    const other = await as(made, { workflows: ["hello-wait"] });
    const told = async (sent: Parameters<Desk["api"]>[0]) => {
      const { status, json } = await made.api({ ...sent, headers: { ...sent.headers, ...other } });
      return { status, code: json.code, detail: json.detail };
    };
    const decide = { target: "turn-away" };
    for (const [there, absent] of [
      [{ url: "/v1/sessions/visit-1" }, { url: "/v1/sessions/visit-9" }],
      [{ url: `/v1/turns/${turnId}` }, { url: "/v1/turns/arr-none" }],
      [
        { method: "DELETE", url: "/v1/sessions/visit-1" },
        { method: "DELETE", url: "/v1/sessions/visit-9" },
      ],
      [post("/v1/sessions/visit-1/decision", decide), post("/v1/sessions/visit-9/decision", decide)],
      [post("/v1/sessions/visit-1/turns", { message: "a" }), post("/v1/sessions/visit-9/turns", { message: "a" })],
    ] as const) {
      expect(await told(there)).toEqual(await told(absent));
    }
  });

  it("N-38 lets only an approver decide, or whoever may decide anything", async () => {
    const made = await parked({ iam: { "*": ["sessions:decide"] } });
    const decide = (headers: Record<string, string>) =>
      made.api(post("/v1/sessions/visit-1/decision", { target: "open-barrier" }, headers));
    const decider = await as(made, { scopes: ["sessions:decide"] });
    expect(await decide(decider)).toMatchObject(problem(403, "not-an-approver"));
    const named = await made.api({
      ...post("/v1/sessions/visit-1/decision", { target: "open-barrier" }),
      iamArn: "gate@museum.example",
    });
    expect(named.status).toBe(202);
    expect((await decide(await as(made, { scopes: ["sessions:decide:any"] }))).status).toBe(202);
  });

  it("N-38 binds a decision to the park whose approvers were asked", async () => {
    const made = await parked();
    await made.api(post("/v1/sessions/visit-1/decision", { target: "hold-car" }));
    const second = await made.api(post("/v1/sessions/visit-1/decision", { target: "open-barrier" }));
    await made.work();
    const { json } = await get(made, `/v1/turns/${second.json.turnId}`);
    expect(json).toMatchObject({ status: "refused", problem: { code: "stale-decision" } });
    expect(await made.intake.sessions.get("visit-1")).toMatchObject({ status: "awaiting_decision" });
  });

  it("N-38, F-8 takes no decision for a park that is still to come, whoever guesses its id", async () => {
    const made = await parked({ iam: { "*": ["sessions:decide"] } });
    const guess = await as(made, { scopes: ["sessions:decide"] });
    await made.api(post("/v1/sessions/visit-1/decision", { target: "hold-car" }));
    const rings = made.rung.length;
    const next = `${made.park}-next`;
    const early = await made.api(post("/v1/sessions/visit-1/decision", { target: "open-barrier", park: next }, guess));
    expect(early).toMatchObject(problem(409, "stale-decision"));
    const fresh = await made.api(post(START, { ...FIRST, sessionId: "visit-2" }));
    expect(fresh.status).toBe(202);
    const url = "/v1/sessions/visit-2/decision";
    const before = await made.api(
      post(url, { target: "open-barrier", park: made.park }, { ...guess, "Idempotency-Key": "k" }),
    );
    expect(before).toMatchObject(problem(409, "session-not-parked"));
    expect(made.rung).toHaveLength(rings + 1);
  });

  it("N-45 answers whether it runs to anybody, and who one is", async () => {
    const made = await desk();
    const health = await get(made, "/healthz", { Authorization: "Bearer nonsense" });
    expect(health).toMatchObject({ status: 200, json: { status: "ok" } });
    const headers = await as(made, { scopes: ["hooks:read"], workflows: ["hello-park"], tenant: "north" });
    expect((await get(made, "/v1/me", headers)).json).toEqual({
      principal: expect.stringMatching(/^key:[0-9a-f]{16}$/),
      scopes: ["hooks:read"],
      workflows: ["hello-park"],
      tenant: "north",
    });
  });

  it("N-41, F-101 logs who asked for what, and no credential, body or value", async () => {
    const made = await parked();
    await get(made, "/v1/nothing");
    expect(made.log[0]).toEqual({
      method: "POST",
      route: "/v1/workflows/{workflow}/sessions",
      status: 202,
      principal: expect.stringMatching(/^key:/),
      sessionId: "visit-1",
      durationMs: expect.any(Number),
      requestId: expect.any(String),
    });
    expect(made.log[1]).toMatchObject({ route: "", status: 404, code: "not-found" });
    expect(JSON.stringify(made.log)).not.toMatch(/pw_test|Ada|A car/);
  });
});

describe("failures", () => {
  const letter = (made: Desk, workflow: string, key: string) =>
    made.intake.keep({
      firing: { workflow, trigger: "gate_camera", variables: VISIT },
      options: { source: "bus", key },
      reason: "invalid-variables: plate",
    });

  it("N-46, S-96 lists what was given up, the newest first, and fires it again once", async () => {
    const made = await desk();
    await letter(made, "hello-park", "1");
    made.clock.advance(1000);
    await letter(made, "hello-park", "2");
    const listed = await get(made, "/v1/hooks/failures?limit=1");
    expect(listed.json.items).toEqual([
      {
        id: expect.any(String),
        workflow: "hello-park",
        sessionId: expect.any(String),
        trigger: "gate_camera",
        source: "bus",
        code: "invalid-variables",
        detail: "invalid-variables: plate",
        attempts: 0,
        createdAt: "2026-03-20T09:00:01.000Z",
      },
    ]);
    const rest = await get(made, `/v1/hooks/failures?limit=1&cursor=${listed.json.nextCursor}`);
    expect(rest.json.items).toMatchObject([{ createdAt: "2026-03-20T09:00:00.000Z" }]);
    expect(rest.json.nextCursor).toBeUndefined();

    const url = `/v1/hooks/failures/${listed.json.items[0].id}/redrive`;
    const first = await made.api({ method: "POST", url });
    const again = await made.api({ method: "POST", url });
    expect(first).toMatchObject({ status: 202, json: { turnId: again.json.turnId } });
    await made.work();
    expect(await made.intake.sessions.get("visit-1")).toMatchObject({ status: "awaiting_decision" });
    const after = await get(made, "/v1/hooks/failures?limit=1");
    expect(after.json.items[0].redrivenAs).toBe(first.json.turnId);
    expect(await made.api({ method: "POST", url: "/v1/hooks/failures/dl-none/redrive" })).toMatchObject(
      problem(404, "not-found"),
    );
  });

  it("N-46, N-37 shows a restricted key its workflows' failures only", async () => {
    const made = await desk();
    const { id } = await letter(made, "hello-park", "1");
    const headers = { Authorization: `Bearer ${await made.key({ workflows: ["hello-wait"] })}` };
    expect((await get(made, "/v1/hooks/failures", headers)).json.items).toEqual([]);
    const redriven = await made.api({ method: "POST", url: `/v1/hooks/failures/${id}/redrive`, headers });
    expect(redriven).toMatchObject(problem(404, "not-found"));
    expect((await get(made, "/v1/hooks/failures?workflow=hello-wait")).json.items).toEqual([]);
  });

  it("N-46, N-37 lets a restricted key redrive no failure that the list does not show yet", async () => {
    const made = await desk({ wrapStore: (store) => ({ ...store, deadLetters: async () => [] }) });
    const { id } = await letter(made, "hello-park", "1");
    const redrive = async (workflows: string[]) => {
      const headers = { Authorization: `Bearer ${await made.key({ workflows })}` };
      return made.api({ method: "POST", url: `/v1/hooks/failures/${id}/redrive`, headers });
    };
    const refused = await redrive(["hello-wait"]);
    expect(refused).toMatchObject(problem(404, "not-found"));
    expect(made.rung).toEqual([]);
    expect((await redrive(["hello-park"])).status).toBe(202);
  });
});

describe("when a store fails", () => {
  it("N-5, N-4 answers 503 to what passes and 500 to what does not, and tells only the log why", async () => {
    let fault: Error | null = null;
    const made = await desk({
      wrapStore: (store) => ({
        ...store,
        accept: (request) => (fault ? Promise.reject(fault) : store.accept(request)),
      }),
    });
    fault = Object.assign(new Error("secret table"), { name: "ProvisionedThroughputExceededException" });
    const busy = await made.api(post(START, FIRST));
    expect(busy).toMatchObject({ ...problem(503, "unavailable"), headers: { "Retry-After": "2" } });
    fault = new Error("secret table");
    const broken = await made.api(post(START, FIRST));
    expect(broken).toMatchObject(problem(500, "internal"));
    expect(busy.text + broken.text).not.toContain("secret");
    expect(made.log.at(-1)).toMatchObject({ status: 500, error: fault });
    fault = null;
    expect((await made.api(post(START, FIRST))).status).toBe(202);
  });
});

it("A-7 H-68 N-9 N-11 tells the limit that ended a turn", async () => {
  const crash = resolve(import.meta.dirname, "..", "crash");
  const made = await desk({
    rootDir: resolve(crash, "workspace"),
    worker: {
      env: { ARCHMAX_MODEL: `script:${resolve(crash, "gated.yaml")}` },
      limits: { maxToolCallsPerTurn: 1 },
    },
  });

  const accepted = await made.api(post("/v1/workflows/gated/sessions", { sessionId: "note-1", message: "Write." }));
  await made.work();

  expect((await get(made, `/v1/turns/${accepted.json.turnId}`)).json).toMatchObject({
    status: "settled",
    outcome: { kind: "failed", limit: "maxToolCalls", exit: { success: false, code: "limit-tool-calls" } },
  });
});
