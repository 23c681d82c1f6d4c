/** What an entrance refuses, before anything is stored, and what it leaves to the turn (S-8, N-8). */
import { describe, expect, it } from "vitest";
import type { Firing } from "../../lib/intake/index.js";
import { MAX_INPUT_BYTES } from "../../lib/intake/index.js";
import type { ArrivalInput, ArrivalSource } from "../../lib/session/arrival.js";
import { INBOX_LIMIT } from "../../lib/session/index.js";
import { anAccept } from "../harness/builders.js";
import { type IntakeBench, intakes } from "../harness/intake.js";
import { ANSWERS, REVIEWED } from "../turn/workflows.js";

const ORDERS = `
states:
  work:
    triggers:
      manual:
      ordered:
        message: false
        session: order.id
        requires:
          - { name: order, type: object }
          - { name: scan, type: file, accept: [.pdf], maxSize: 4B }
    instructions: Work.
`;

const bench = intakes();
const opened = () =>
  bench({ specs: { orders: ORDERS, case: ANSWERS, off: `disabled: true\n${ANSWERS}`, broken: "states: {}" } });
const api = { source: "api", key: "k" } as const;
const scan = { name: "a.pdf", content: "abcd" };

async function leavesNothing({ host, clock }: IntakeBench): Promise<void> {
  expect(await host.store.due(clock.now(), { limit: 10 })).toEqual([]);
  expect(await host.files.listShared(".parkway/uploads/", { after: "", limit: 10 })).toEqual([]);
}

it.each([
  ["turn", { kind: "turn", message: "Go" }, "SessionNotResumableError"],
  ["delivery", { kind: "delivery", trigger: "mail" }, "SessionNotResumableError"],
  ["decision", { kind: "decision", target: "done" }, "SessionNotParkedError"],
  ["reply", { kind: "reply", message: "Hm" }, "SessionNotParkedError"],
] as const)(
  "R-3 a %s for a child's id is refused by its root, whether or not there is such a child",
  async (_kind, input, name) => {
    const on = opened();

    await expect(on.intake.accept({ sessionId: "s1~1", input }, api)).rejects.toMatchObject({
      name,
      message: expect.stringContaining('"s1"'),
    });
    await leavesNothing(on);
  },
);

describe("a firing", () => {
  it.each<[string, Partial<Firing>, string]>([
    ["an unknown workflow", { workflow: "none" }, "UnknownWorkflowError"],
    ["a workflow that cannot be loaded", { workflow: "broken" }, "WorkflowLoadError"],
    ["an id that can name no session", { sessionId: "a/../b" }, "SessionStoreIdError"],
    ["an id in a mount", { sessionId: "skills/x" }, "SessionStoreIdError"],
    ["a child's id", { sessionId: "s1~1" }, "SessionNotResumableError"],
    ["a session path that is none", { sessionPath: "a..b" }, "InvalidSessionPathError"],
    ["a variable's name", { variables: { "A b": 1 } }, "InvalidVariableNameError"],
    ["a title that is none", { variables: { title: 7 } }, "InvalidTitleError"],
    ["what is no JSON", { variables: { at: new Date(0) } }, "UnstorableStateError"],
    ["an undeclared trigger", { trigger: "nobody" }, "UnknownTriggerError"],
    ["a blank message", { message: " " }, "EmptyMessageError"],
    ["a file's name", { files: { scan: { name: "a/b", content: "abcd" } } }, "InvalidTurnFileError"],
    ["a file whose variable is given too", { files: { scan }, variables: { scan: "x" } }, "InvalidTurnFileError"],
    ["a disabled workflow", { workflow: "off" }, "WorkflowDisabledError"],
    ["variables that are required", { workflow: "orders", trigger: "ordered" }, "InvalidVariablesError"],
  ])("S-8 is refused for %s, and nothing is stored", async (_what, firing, name) => {
    const on = opened();

    await expect(on.intake.fire({ workflow: "case", message: "Go", ...firing }, api)).rejects.toMatchObject({ name });

    await leavesNothing(on);
    expect(await on.intake.known("api", "k")).toBeNull();
    expect(on.rung).toEqual([]);
  });

  it("S-11 is refused over 6 MB of input, in which files do not count", async () => {
    const on = opened();
    const text = (size: number) => ({ workflow: "case", message: "Go", variables: { text: "x".repeat(size) } });

    const refused = on.intake.fire(text(MAX_INPUT_BYTES), api);
    await expect(refused).rejects.toMatchObject({ name: "InputTooLargeError", limitBytes: 6 * 1024 * 1024 });
    await leavesNothing(on);

    const files = { scan: { name: "a.bin", content: new Uint8Array(MAX_INPUT_BYTES + 1) } };
    expect(await on.intake.fire({ ...text(MAX_INPUT_BYTES - 1_000), files }, api)).toMatchObject({ repeated: false });
    const around = JSON.stringify({ kind: "turn", message: "Go", variables: { text: "" } }).length;
    expect(await on.intake.fire(text(MAX_INPUT_BYTES - around), { source: "api" })).toMatchObject({ repeated: false });
    await expect(on.intake.fire(text(MAX_INPUT_BYTES - around + 1), { source: "api" })).rejects.toThrow("6291457");
  });

  it("N-8 tells each requirement that the turn would reject, files included, and takes what meets them", async () => {
    const on = opened();
    const firing = { workflow: "orders", trigger: "ordered" };
    const issuesOf = (error: { issues: { name: string }[] }) => error.issues.map(({ name }) => name);

    const refused = [
      { ...firing, variables: { order: "7" } },
      { ...firing, variables: { order: {} }, files: { scan: { name: "a.txt", content: "abcd" } } },
      { ...firing, variables: { order: {} }, files: { scan: { name: "a.pdf", content: "abcde" } } },
    ].map((given) => on.intake.fire(given, { source: "api" }).catch(issuesOf));
    expect(await Promise.all(refused)).toEqual([["order", "scan"], ["scan"], ["scan"]]);

    const { receipt } = await on.intake.fire({ ...firing, variables: { order: { id: 17 } }, files: { scan } }, api);
    expect(receipt).toMatchObject({ sessionId: "17", status: "queued" });
    expect(on.rung).toEqual(["17"]);
  });

  it.each<[ArrivalSource, string]>([
    ["webhook", "off"],
    ["bus", "off"],
  ])("S-18 N-34 from a %s is accepted by a disabled workflow, which keeps it later", async (source, workflow) => {
    const on = opened();

    expect(await on.intake.fire({ workflow, message: "Go" }, { source, key: "1" })).toMatchObject({
      receipt: { status: "queued" },
    });
  });

  it("S-12 is refused by a full inbox, retryably and without a receipt", async () => {
    const on = opened();
    const firing = { workflow: "case", message: "Go", sessionId: "s1" };
    for (let n = 0; n < INBOX_LIMIT; n += 1) {
      await on.host.store.accept(anAccept({ id: `arr-${n}`, workflow: "case", acceptedAt: on.clock.now() }));
    }

    const refused = on.intake.fire(firing, api);
    await expect(refused).rejects.toMatchObject({ name: "InboxFullError", retryable: true, limit: 1_000 });
    expect(await on.intake.known("api", "k")).toBeNull();
  });

  it("S-7 R-25 mints an id where the session path leads nowhere, of the key where there is one, and says so", async () => {
    const on = opened();
    const firing = { workflow: "case", message: "Go", sessionPath: "order.id" };

    const [first, again] = [await on.intake.fire(firing, api), await on.intake.fire(firing, api)];
    const other = await on.intake.fire(firing, { source: "api" });

    expect(again).toEqual({ ...first, repeated: true });
    expect(other.receipt.sessionId).not.toBe(first.receipt.sessionId);
    expect(on.warnings).toHaveLength(2);
    expect(on.warnings[0]).toMatch(/"order.id".*manual/);
  });

  it("N-2 belongs to the workflow that its session follows, also while that waits", async () => {
    const on = opened();
    await on.intake.fire({ workflow: "case", message: "Go", sessionId: "s1" }, { source: "api" });

    const refused = on.intake.fire({ workflow: "orders", message: "Go", sessionId: "s1" }, api);

    await expect(refused).rejects.toMatchObject({ name: "SessionWorkflowMismatchError", workflow: "case" });
  });

  it("N-13 is compared by the given fingerprint, and a known key is answered before anything is checked", async () => {
    const on = opened();
    const firing = { workflow: "case", message: "Go", sessionId: "s1" };
    const first = await on.intake.fire(firing, { ...api, fingerprint: "POST /a" });

    const gone = { workflow: "none", message: " ", sessionId: "a/../b" };
    expect(await on.intake.fire(gone, { ...api, fingerprint: "POST /a" })).toEqual({ ...first, repeated: true });
    await expect(on.intake.fire(firing, { ...api, fingerprint: "POST /b" })).rejects.toMatchObject({
      name: "IdempotencyConflictError",
    });
  });
});

describe("an input for a session", () => {
  it.each<[string, ArrivalInput, string]>([
    ["a delivery without a trigger", { kind: "delivery", trigger: " " }, "MissingDeliveryTriggerError"],
    ["a delivery to nobody who waits", { kind: "delivery", trigger: "mail" }, "SessionNotAwaitingInputError"],
    ["a decision where nothing is parked", { kind: "decision", target: "send" }, "SessionNotParkedError"],
    ["a reply to nobody who asked", { kind: "reply", message: "x" }, "SessionNotParkedError"],
  ])("S-8 is refused for %s", async (_what, input, name) => {
    const on = opened();

    const refused = on.intake.accept({ sessionId: "s1", workflow: "case", input }, { source: "api" });

    await expect(refused).rejects.toMatchObject({ name });
    await leavesNothing(on);
  });

  it.each<[string, ArrivalInput, string]>([
    ["a blank reply", { kind: "reply", message: " " }, "EmptyMessageError"],
    ["a decision without a target", { kind: "decision", target: " " }, "InvalidDecisionTargetError"],
  ])("S-8 is refused for %s, whatever the session is doing", async (_what, input, name) => {
    const on = bench({ specs: { case: REVIEWED } });
    await on.intake.fire({ workflow: "case", message: "Go", sessionId: "s1" }, { source: "api" });

    await expect(on.intake.accept({ sessionId: "s1", input }, { source: "api" })).rejects.toMatchObject({ name });
  });

  it("S-8 S-9 is taken for a session that is being worked on, whose turn alone can judge it", async () => {
    const on = bench({ specs: { case: REVIEWED } });
    await on.intake.fire({ workflow: "case", message: "Go", sessionId: "s1" }, { source: "api" });
    await on.host.store.claim("s1", { owner: "o", now: on.clock.now(), leaseMs: 60_000 });

    const input = { kind: "decision", target: "send" } as const;
    const { receipt } = await on.intake.accept({ sessionId: "s1", input }, { source: "api" });

    expect(receipt).toMatchObject({ status: "queued", seq: 2 });
  });

  it("N-7 needs no workflow for a session that exists, and one for any other", async () => {
    const on = opened();
    await on.intake.fire({ workflow: "case", message: "Go", sessionId: "s1" }, { source: "api" });
    const input = { kind: "turn", message: "And?" } as const;

    expect((await on.intake.accept({ sessionId: "/s1", input }, { source: "api" })).receipt.seq).toBe(2);
    await expect(on.intake.accept({ sessionId: "s2", input }, { source: "api" })).rejects.toMatchObject({
      name: "UnknownSessionError",
    });
    expect((await on.intake.accept({ sessionId: "s2", workflow: "case", input }, { source: "api" })).receipt.seq).toBe(
      1,
    );
  });
});
