import { createHmac, randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openCredentials } from "../../functions/api/credentials.js";
import { accessLog } from "../../functions/shared/access-log.js";
import { openIntake } from "../../functions/shared/intake.js";
import { openRingingStores } from "../../functions/shared/ringing.js";
import { stack } from "../../functions/shared/stack.js";
import type { DeployedStores } from "../../functions/shared/stores.js";
import { createTriggerHandler } from "../../functions/trigger/handler.js";
import type { Deployment } from "../../lib/config/deployment.js";
import { gatewayEvent, SERVICES, type Service } from "../../lib/http/gateway.fixture.js";
import {
  createApi,
  createWebhooks,
  type GatewayEvent,
  type GatewayResult,
  gatewayHandler,
  type HttpHandler,
  makeApiKey,
  SCOPES,
} from "../../lib/http/index.js";
import type { Intake } from "../../lib/intake/index.js";
import { systemClock } from "../../lib/stores/clock/index.js";
import { createDynamoApiKeys } from "../../lib/stores/dynamodb/index.js";
import { createSecrets } from "../../lib/stores/secrets/index.js";
import { sessionOfRing } from "../../lib/stores/sqs/index.js";
import { describeDeployment } from "./deployment.js";
import { instruments, lambdaContext, type Printed, printed } from "./support.js";

const DEPLOYMENT: Deployment = {
  webhooks: { "hello-park/gate_camera": { verify: { scheme: "github", secrets: ["ssm:/hooks/gate"] } } },
  events: {
    "gate-seen": {
      workflow: "hello-park",
      trigger: "gate_camera",
      pattern: { source: ["museum.gate"], "detail-type": ["Car Seen"] },
      variables: { visit_id: "detail.visit", plate: "detail.plate", visitor: "detail.visitor" },
    },
  },
  schedules: {
    nightly: {
      workflow: "hello-park",
      trigger: "manual",
      schedule: "rate(1 day)",
      message: "The night guard arrives.",
      variables: { visit_id: "visit-77", plate: "AB 12", visitor: "Night guard" },
    },
  },
};
const VISIT = { visit_id: "visit-1", plate: "KA 77", visitor: "Ada Lovelace" };

describeDeployment("the entrances' functions", (deployed) => {
  let stores: DeployedStores;
  let intake: Intake;
  let output: Printed;

  beforeEach(() => {
    stores = openRingingStores(deployed.env);
    const own = instruments("entrance", deployed.env);
    intake = openIntake({ ...own, stores, rootDir: process.cwd() });
    deployed.parameters.set("/hooks/gate", "hook-secret");
    output = printed();
  });
  afterEach(() => void output.text());

  const rung = () => deployed.sqs.take(deployed.env.PARKWAY_QUEUE_URL ?? "").map(({ body }) => sessionOfRing(body));

  async function gatewayFunction(name: string, make: (log: ReturnType<typeof accessLog>) => HttpHandler) {
    const own = instruments(name, deployed.env);
    const answer = gatewayHandler(make(accessLog(own.log)));
    const handler = await stack<GatewayEvent, GatewayResult>((event) => answer(event), own);
    return (event: GatewayEvent) => handler(event, lambdaContext());
  }

  describe("webhook", () => {
    const webhook = () =>
      gatewayFunction("webhook", (log) =>
        createWebhooks({
          intake,
          webhooks: DEPLOYMENT.webhooks,
          secrets: createSecrets(),
          clock: systemClock,
          log,
        }),
      );
    const delivery = (service: Service, secret: string, content: object = VISIT) => {
      const body = JSON.stringify(content);
      const signature = `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
      const headers = {
        "Content-Type": "application/json",
        "X-Hub-Signature-256": signature,
        "X-GitHub-Delivery": randomUUID(),
      };
      return gatewayEvent(service, { method: "POST", url: "/hooks/hello-park/gate_camera", headers, body });
    };

    it.each(SERVICES)("N-29 N-33 accepts what is signed, through %s, and rings", async (service) => {
      const handler = await webhook();
      const event = delivery(service, "hook-secret");

      const answer = await handler(event);
      const again = await handler(event);

      expect(answer).toMatchObject({ statusCode: 202 });
      expect(JSON.parse(answer.body)).toMatchObject({ status: "accepted", sessionId: "visit-1" });
      expect(JSON.parse(again.body)).toMatchObject({ status: "duplicate" });
      expect(rung()).toContain("visit-1");
    });

    it("F-74 S-11 takes a body of 600 KB, which travels on as a pointer into the bucket", async () => {
      const handler = await webhook();
      const answer = await handler(delivery("http-api-2.0", "hook-secret", { ...VISIT, visitor: "x".repeat(600_000) }));

      expect(answer).toMatchObject({ statusCode: 202 });
      const { turnId } = JSON.parse(answer.body);
      expect(deployed.sqs.requests.at(-1)).toMatchObject({ input: { MessageBody: '{"sessionId":"visit-1"}' } });
      expect(deployed.s3.requests.filter((request) => request.startsWith("PutObject"))).not.toEqual([]);
      const claimed = await stores.sessions.claim("visit-1", { owner: "a", now: Date.now(), leaseMs: 60_000 });
      expect(claimed).toMatchObject({
        work: { arrival: { id: turnId, input: { variables: { visitor: "x".repeat(600_000) } } } },
      });
    });

    it("F-79 stores nothing of what is signed with another secret, and logs neither", async () => {
      const handler = await webhook();
      const answer = await handler(delivery("http-api-2.0", "other-secret"));

      expect(answer.statusCode).toBe(401);
      expect(rung()).toEqual([]);
      expect(await stores.sessions.due(Date.now() + 60_000, { limit: 10 })).toEqual([]);
      expect(output.text()).not.toMatch(/other-secret|hook-secret|sha256=|Lovelace|KA 77/);
    });

    it("H-126 F-101 answers a retryable fault when the secret cannot be had, and logs its reference only", async () => {
      deployed.parameters.faults.add({
        kind: "refuse",
        operation: "GetParameter",
        status: 400,
        code: "AccessDeniedException",
      });
      const handler = await webhook();
      const answer = await handler(delivery("http-api-2.0", "hook-secret"));

      expect(answer.statusCode).toBeGreaterThanOrEqual(500);
      expect(answer.body).not.toContain("/hooks/gate");
      const [line] = output.lines().filter(({ message }) => message === "Request");
      expect(line).toMatchObject({
        level: "ERROR",
        route: expect.stringContaining("/hooks/"),
        error: "SecretUnavailableError",
      });
    });
  });

  describe("api", () => {
    const scopes = [...SCOPES];

    async function api() {
      deployed.secrets.set("keys", "hash-key");
      const env: Record<string, string> = {
        ...deployed.env,
        PARKWAY_CREDENTIALS: "api-key,iam",
        PARKWAY_API_KEYS_SECRET: "secret:keys",
      };
      const { text, kept } = makeApiKey({ environment: "test", name: "gate", scopes }, "hash-key", Date.now());
      await createDynamoApiKeys({ table: env.PARKWAY_TABLE ?? "", client: stores.client }).put(kept);
      const credentials = openCredentials({ env, secrets: createSecrets(), client: stores.client });
      const handler = await gatewayFunction("api", (log) =>
        createApi({ intake, credentials, environment: "test", clock: systemClock, log }),
      );
      return { key: text, handler };
    }

    it.each(SERVICES)(
      "N-36 takes a key that is kept in the table, through %s, and nothing without",
      async (service) => {
        const { handler, key } = await api();
        const list = (headers: Record<string, string>) =>
          handler(gatewayEvent(service, { url: "/v1/sessions", headers }));

        expect(await list({ Authorization: `Bearer ${key}` })).toMatchObject({ statusCode: 200 });
        expect(await list({})).toMatchObject({ statusCode: 401 });
        const other = key.slice(0, -1) + (key.endsWith("0") ? "1" : "0");
        expect(await list({ Authorization: `Bearer ${other}` })).toMatchObject({ statusCode: 401 });
        expect(output.text()).not.toContain(key.slice(-20));
      },
    );
  });

  describe("trigger", () => {
    async function trigger() {
      const own = instruments("trigger", deployed.env);
      const handler = await stack(createTriggerHandler({ intake, deployment: DEPLOYMENT, log: own.log }), own);
      return (event: unknown) => handler(event, lambdaContext());
    }
    const seen = (detail: object, id = "event-1") => ({
      rule: "gate-seen",
      event: {
        version: "0",
        id,
        "detail-type": "Car Seen",
        source: "museum.gate",
        account: "123456789012",
        time: "2026-03-20T09:00:00Z",
        region: "eu-central-1",
        resources: [],
        detail,
      },
    });

    it("F-9 fires a rule's trigger once, however often its event comes", async () => {
      const handler = await trigger();
      const event = seen({ visit: "visit-5", plate: "KA 77", visitor: "Ada" });
      await handler(event);
      await handler(event);

      const read = await stores.sessions.read("visit-5");
      expect(read?.queued).toBe(1);
      expect(rung()).toContain("visit-5");
    });

    it("S-93 keeps what cannot be accepted as a dead letter, and the platform does not try again", async () => {
      const handler = await trigger();
      await handler(seen({ visit: "not a visit", plate: "KA 77", visitor: "Ada" }));

      expect(await intake.deadLetters()).toHaveLength(1);
      expect(rung()).toEqual([]);
    });

    it("fires a schedule once for each of its times", async () => {
      const handler = await trigger();
      for (const at of ["2026-03-20T00:00:00Z", "2026-03-20T00:00:00Z", "2026-03-21T00:00:00Z"]) {
        await handler({ schedule: "nightly", at });
      }

      expect(await intake.deadLetters()).toEqual([]);
      const due = await stores.sessions.due(Date.now() + 60_000, { limit: 10 });
      expect(due).toHaveLength(2);
    });

    it("F-72 throws when the store fails, so that the platform invokes again, and says no more than what failed", async () => {
      const own = instruments("trigger", deployed.env);
      const gone = openRingingStores({ ...deployed.env, PARKWAY_TABLE: "no-such-table" });
      const lost = openIntake({ ...own, stores: gone, rootDir: process.cwd() });
      const handler = await stack(createTriggerHandler({ intake: lost, deployment: DEPLOYMENT, log: own.log }), own);

      const failure = await handler(seen({ visit: "visit-5", plate: "KA 77", visitor: "Ada" }), lambdaContext()).catch(
        (error: unknown) => error,
      );

      expect(failure).toMatchObject({ name: "InvocationFailedError" });
      expect(output.text() + (failure as Error).stack).not.toMatch(/KA 77|Ada/);
    });

    it.each([null, [], {}, { rule: "gone", event: {} }, { rule: "toString", event: {} }, { schedule: "nightly" }])(
      "refuses %j, which no rule or schedule of the deployment sends",
      async (event) => {
        const handler = await trigger();

        await expect(handler(event)).rejects.toThrow("invalid-trigger-event");
      },
    );
  });
});
