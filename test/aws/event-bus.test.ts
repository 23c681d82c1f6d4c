import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { LifecycleEvent } from "../../lib/session/lifecycle.js";
import type { EventBus } from "../../lib/session/ports.js";
import { createEventBridgeBus, EventsNotSentError } from "../../lib/stores/eventbridge/index.js";
import { type LocalEventBridge, startEventBridge } from "./eventbridge.js";

const AT = Date.UTC(2026, 2, 20, 9);

describe("event bus over EventBridge", () => {
  let service: LocalEventBridge;
  let bus: EventBus;
  let pauses: number[];
  let count = 0;
  let busName: string;

  beforeAll(async () => {
    service = await startEventBridge();
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    count += 1;
    busName = `bus-${count}`;
    service.createBus(busName);
    service.requests.length = 0;
    pauses = [];
    const sleep = async (ms: number) => {
      pauses.push(ms);
    };
    bus = createEventBridgeBus({ busName, client: service.client(), sleep });
  });

  const ids = () => service.events(busName).map(({ detail }) => (detail as { id: string }).id);
  const sentPerCall = () => service.requests.map(({ input }) => (input.Entries as unknown[]).length);

  it("N-47 names source and type, and identifies the event by session, turn and position", async () => {
    await bus.publish([
      anEvent(1, {
        type: "parked",
        detail: { turnId: "t1", state: "review", awaiting: "decision", parkId: "p1", exit: undefined },
      }),
    ]);

    expect(service.events(busName)).toEqual([
      {
        source: "parkway",
        detailType: "parked",
        time: AT,
        detail: {
          id: "ticket-1/1/a1/1",
          workflow: "support",
          sessionId: "ticket-1",
          turnId: "t1",
          state: "review",
          awaiting: "decision",
          parkId: "p1",
        },
      },
    ]);
  });

  it("N-47 lets nothing in the detail stand for another event", async () => {
    await bus.publish([anEvent(1, { detail: { id: "other", sessionId: "other", workflow: "other" } })]);

    expect(service.events(busName)[0]?.detail).toEqual({
      id: "ticket-1/1/a1/1",
      workflow: "support",
      sessionId: "ticket-1",
    });
  });

  it("F-73 S-99 sends ten a call, in order", async () => {
    await bus.publish(Array.from({ length: 23 }, (_, n) => anEvent(n)));

    expect(sentPerCall()).toEqual([10, 10, 3]);
    expect(ids()).toEqual(Array.from({ length: 23 }, (_, n) => `ticket-1/1/a1/${n}`));
  });

  it("F-73 sends no call of 256 KB or more", async () => {
    const long = { reason: "漢".repeat(30_000) };
    await bus.publish([anEvent(1, { detail: long }), anEvent(2, { detail: long }), anEvent(3, { detail: long })]);

    expect(sentPerCall()).toEqual([2, 1]);
    expect(service.events(busName).map(({ detail }) => detail)).toEqual(
      [1, 2, 3].map(() => expect.objectContaining(long)),
    );
  });

  it("leaves the long text of an event over 200 KB to the session that it names", async () => {
    await bus.publish([anEvent(1, { detail: { turnId: "t1", reason: "x".repeat(210 * 1_024), parkId: "p1" } })]);

    expect(service.events(busName)[0]?.detail).toEqual({
      id: "ticket-1/1/a1/1",
      workflow: "support",
      sessionId: "ticket-1",
      turnId: "t1",
      parkId: "p1",
    });
  });

  it("F-73 sends only the failed entries again, with pauses, before it goes on", async () => {
    for (const n of [2, 5]) {
      const item = `ticket-1/1/a1/${n}`;
      service.faults.add({
        kind: "refuse-item",
        operation: "PutEvents",
        item,
        code: "ThrottlingException",
        times: n === 2 ? 1 : 2,
      });
    }
    await bus.publish(Array.from({ length: 12 }, (_, n) => anEvent(n)));

    expect(sentPerCall()).toEqual([10, 2, 1, 2]);
    expect(pauses).toHaveLength(2);
    expect([...ids()].sort()).toEqual(Array.from({ length: 12 }, (_, n) => `ticket-1/1/a1/${n}`).sort());
  });

  it("F-73 reports what could not be sent, and sends nothing behind it", async () => {
    service.faults.add({ kind: "refuse-item", operation: "PutEvents", item: "ticket-1/1/a1/3", code: "NotAuthorized" });
    const failure = await bus
      .publish(Array.from({ length: 11 }, (_, n) => anEvent(n)))
      .catch((error: unknown) => error);

    expect(failure).toBeInstanceOf(EventsNotSentError);
    expect(failure).toMatchObject({
      retryable: true,
      unsent: [
        { eventId: "ticket-1/1/a1/3", code: "NotAuthorized" },
        { eventId: "ticket-1/1/a1/10", code: "not-tried" },
      ],
    });
    expect(ids()).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9].map((n) => `ticket-1/1/a1/${n}`));
  });

  it("F-73 gives up on an entry that keeps failing", async () => {
    const item = "ticket-1/1/a1/1";
    service.faults.add({ kind: "refuse-item", operation: "PutEvents", item, code: "InternalFailure", times: 5 });

    await expect(bus.publish([anEvent(1)])).rejects.toMatchObject({
      unsent: [{ eventId: item, code: "InternalFailure" }],
    });
    expect(sentPerCall()).toEqual([1, 1, 1, 1, 1]);
  });

  it("F-73 reports exactly what is not there when the service stops answering in between", async () => {
    const item = "ticket-1/1/a1/1";
    service.faults.add({ kind: "refuse-item", operation: "PutEvents", item, code: "ThrottlingException" });
    const failing = createEventBridgeBus({
      busName,
      client: service.client(),
      sleep: async () =>
        service.faults.add({ kind: "refuse", operation: "PutEvents", status: 400, code: "AccessDenied" }),
    });

    await expect(failing.publish([anEvent(0), anEvent(1)])).rejects.toMatchObject({
      unsent: [{ eventId: item, code: "AccessDenied" }],
      cause: { name: "AccessDenied" },
    });
  });

  it("sends again when a call is throttled or its answer is lost, under the same ids", async () => {
    service.faults.add({ kind: "refuse", operation: "PutEvents", status: 400, code: "ThrottlingException" });
    await bus.publish([anEvent(1)]);
    service.faults.add({ kind: "lose-answer", operation: "PutEvents" });
    await bus.publish([anEvent(2)]);

    expect(ids()).toEqual(["ticket-1/1/a1/1", "ticket-1/1/a1/2", "ticket-1/1/a1/2"]);
  });

  it("publishes nothing as nothing", async () => {
    await bus.publish([]);

    expect(service.requests).toEqual([]);
  });

  it.each([
    ["11 entries", Array.from({ length: 11 }, () => anEntry())],
    [
      "256 KB",
      [
        anEntry({ Detail: JSON.stringify("x".repeat(131_072)) }),
        anEntry({ Detail: JSON.stringify("x".repeat(131_072)) }),
      ],
    ],
    ["no entry", []],
  ])("F-86 the stand-in refuses a call of %s", async (_, Entries) => {
    await expect(service.client().send(new PutEventsCommand({ Entries }))).rejects.toMatchObject({
      name: "ValidationException",
    });
  });

  it.each([
    [{ Detail: "text" }, "MalformedDetail"],
    [{ DetailType: "x".repeat(129) }, "InvalidArgument"],
    [{ Source: "aws.parkway" }, "InvalidArgument"],
    [{ EventBusName: "nowhere" }, "ResourceNotFoundException"],
  ])("F-86 the stand-in refuses an entry with %o", async (change, code) => {
    const answer = await service
      .client()
      .send(new PutEventsCommand({ Entries: [anEntry({ EventBusName: busName, ...change })] }));

    expect(answer).toMatchObject({ FailedEntryCount: 1, Entries: [{ ErrorCode: code }] });
    expect(service.events(busName)).toEqual([]);
  });
});

function anEvent(position: number, change: Partial<LifecycleEvent> = {}): LifecycleEvent {
  const id = `ticket-1/1/a1/${position}`;
  return { id, type: "turn-settled", sessionId: "ticket-1", workflow: "support", at: AT, detail: {}, ...change };
}

function anEntry(change: { Detail?: string; DetailType?: string; Source?: string; EventBusName?: string } = {}) {
  return { Source: "parkway", DetailType: "parked", Detail: "{}", ...change };
}
