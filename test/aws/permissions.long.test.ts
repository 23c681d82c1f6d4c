/** What the roles of the template allow, held against what the functions did: all of it, and nothing that nobody needs. */
import { expect, it } from "vitest";
import { unusedPermissions } from "./deployed/policies.js";
import { describeDeployment } from "./describe-deployment.js";
import { oneStepEach } from "./play/one-step-each.js";
import { play, SERVICES } from "./play/play.js";
import { SCENARIOS } from "./play/scenarios.js";

const DAYS = 24 * 60 * 60_000;
const MINUTES = 60_000;
/** More than an item holds, though an event may carry it: each of these takes several bytes where it is kept (S-11). */
const LARGE = '"'.repeat(120 * 1_024);

/** Allowed actions that no request shows, by the function (`*`: each of them) and the action. */
const EXCEPTIONS: Record<string, string> = {
  "* kms:Decrypt": "a service asks it of the key in the function's name",
  "* kms:DescribeKey": "a service asks it of the key in the function's name",
  "* kms:Encrypt": "a service asks it of the key in the function's name",
  "* kms:GenerateDataKey": "a service asks it of the key in the function's name",
  "* kms:GenerateDataKeyWithoutPlaintext": "a service asks it of the key in the function's name",
  "* kms:ReEncryptFrom": "a service asks it of the key in the function's name",
  "* kms:ReEncryptTo": "a service asks it of the key in the function's name",
  "* logs:CreateLogStream": "Lambda writes the function's lines in its name",
  "* logs:PutLogEvents": "Lambda writes the function's lines in its name",
  "turn sqs:GetQueueAttributes": "the mapping looks at the queue in the function's name",
  "* s3:ListBucket": "makes S3 answer 404 instead of 403 for an object that is not there",
};

const orderPlaced = { source: "shop.orders", "detail-type": "Order Placed" };

describeDeployment("permissions of a deployment's functions", (deployment) => {
  it("plays what needs every permission", { timeout: 120_000 }, async () => {
    const { bench, client } = deployment;
    for (const scenario of SCENARIOS) await play(bench, client, { scenario, run: deployment.nextRun() });
    const github = `issue-${deployment.nextRun()}`;
    const order = `order-${deployment.nextRun()}`;
    const started = `pause-${deployment.nextRun()}`;
    const visit = `visit-${deployment.nextRun()}`;
    const accept = async () => {
      await client.github({ issue: { id: github, body: LARGE } });
      bench.putEvent({
        source: "shop.orders",
        "detail-type": "Order Placed",
        detail: { id: order, total: 50, text: LARGE },
      });
      await client.gate({ visit_id: visit, plate: "ZZ 99 ZZ", visitor: "Eve" });
      await client.api("POST", "/v1/workflows/hello-wait/sessions", {
        sessionId: started,
        message: LARGE,
        variables: { minutes: 1 },
        files: { picture: { name: "car.txt", content: Buffer.from("a car").toString("base64") } },
      });
      await bench.settled();
      bench.clock.advance(2 * 60_000);
      bench.tick();
      await bench.settled();
    };

    await accept();
    await accept();
    // All have ended; a month later they have expired, and whoever meets one removes it.
    bench.clock.advance(31 * DAYS);
    await accept();
    bench.clock.advance(31 * DAYS);
    for (let days = 0; days < 3; days += 1) {
      bench.tick();
      await bench.settled();
      bench.clock.advance(2 * DAYS);
    }
    await cutShort();
    await kill("wake", () => bench.tick());
    await kill("trigger", () => bench.putEvent({ ...orderPlaced, detail: { id: order, total: 50 } }));
    await leaveValueBehind();
    const givenUp = await giveUpWithFile();
    // An event that no session takes is kept as a dead letter, listed and redriven.
    bench.putEvent({
      source: "shop.orders",
      "detail-type": "Order Placed",
      detail: { id: "", total: 50, text: LARGE },
    });
    await bench.settled();
    const { body } = await client.api("GET", "/v1/hooks/failures");
    expect(JSON.stringify(body.items)).toContain(givenUp);
    for (const { id } of body.items as { id: string }[])
      await client.api("POST", `/v1/hooks/failures/${id}/redrive`, {});
    await client.api("GET", "/v1/sessions");
    await client.api("POST", "/v1/sessions/gone-1/turns", {
      workflow: "hello-wait",
      message: "x",
      variables: { minutes: 1 },
    });
    await bench.settled();
    await client.api("DELETE", "/v1/sessions/gone-1");
    await bench.settled();
    bench.clock.advance(2 * DAYS);
    bench.tick();
    await bench.settled();
  });

  /** A turn that is handed over. */
  async function cutShort(): Promise<void> {
    const { bench } = deployment;
    const hurry = oneStepEach(bench);
    bench.putEvent({ ...orderPlaced, detail: { id: `order-${deployment.nextRun()}`, total: 50 } });
    await bench.settled();
    hurry.stop();
  }

  /** Invocations of an asynchronous function that die until the platform gives up. */
  async function kill(service: string, invoke: () => void): Promise<void> {
    const { bench } = deployment;
    for (let attempt = 0; attempt < 3; attempt += 1) {
      bench.wire.arm({ functionName: bench.functionName(service), at: 1, mode: "before" });
      if (attempt === 0) invoke();
      await bench.settled();
      if (attempt < 2) bench.clock.advance(2 * MINUTES + 1_000);
    }
    await bench.settled();
    bench.wire.disarm();
  }

  /** An entrance dies when it has stored a large value, before anything names it. */
  async function leaveValueBehind(): Promise<void> {
    const { bench, client } = deployment;
    bench.wire.watch(({ operation, processId }) => {
      if (operation === "PutObject") bench.host.kill(processId);
    });
    await client.github({ issue: { id: `issue-${deployment.nextRun()}`, body: LARGE } });
    bench.wire.watch(null);
  }

  /** An arrival with a file that every owner dies of. */
  async function giveUpWithFile(): Promise<string> {
    const { bench, client } = deployment;
    const sessionId = `pause-${deployment.nextRun()}`;
    const files = { picture: { name: "car.txt", content: Buffer.from("a car").toString("base64") } };
    const body = { sessionId, message: LARGE, variables: { minutes: 1 }, files };
    const turn = bench.functionName("turn");
    bench.wire.watch(({ functionName, operation }) => {
      // The request after the one that takes the lease: this one counts too.
      if (functionName === turn && operation === "TransactWriteItems") {
        bench.wire.arm({ functionName: turn, at: 2, mode: "before" });
      }
    });
    await client.api("POST", "/v1/workflows/hello-wait/sessions", body);
    for (let attempt = 0; attempt < 6; attempt += 1) {
      await bench.settled();
      bench.clock.advance(7 * MINUTES);
      bench.tick();
    }
    await bench.settled();
    bench.wire.watch(null);
    bench.wire.disarm();
    // The owner that finds an arrival tried too often gives it up.
    bench.clock.advance(7 * MINUTES);
    bench.tick();
    await bench.settled();
    return sessionId;
  }

  it("every action that a role allows was used, but for those with a reason", () => {
    const { bench } = deployment;
    const unused = SERVICES.flatMap((service) =>
      unusedPermissions(bench.template, bench.functionName(service), bench.wire.calls)
        .map(({ action, resource }) => ({ name: `${service} ${action}`, any: `* ${action}`, resource }))
        .filter(({ name, any }) => !(name in EXCEPTIONS) && !(any in EXCEPTIONS))
        .map(({ name, resource }) => `${name} on ${resource}`),
    );
    const used = new Set(
      bench.wire.calls.flatMap(({ functionName, needs }) => needs.map(({ action }) => `${functionName} ${action}`)),
    );

    console.info(
      `${bench.wire.calls.length} requests, ${used.size} actions of functions used, ${unused.length} unused`,
    );
    expect(unused).toEqual([]);
  });
});
