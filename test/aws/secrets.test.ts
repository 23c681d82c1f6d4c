import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  createSecrets,
  InvalidSecretReferenceError,
  SecretNotFoundError,
  type Secrets,
  SecretUnavailableError,
} from "../../lib/stores/secrets/index.js";
import { type ManualClock, manualClock } from "../harness/clock.js";
import { type LocalParameters, type LocalSecrets, startParameters, startSecrets } from "./secret-services.js";

const MINUTE_MS = 60_000;
const REFUSE = { kind: "refuse", operation: "GetParameter", status: 400 } as const;
const DENIED = { ...REFUSE, code: "AccessDeniedException" } as const;

describe("secrets by reference", () => {
  let ssm: LocalParameters;
  let manager: LocalSecrets;
  let clock: ManualClock;
  let secrets: Secrets;
  let arn: string;

  beforeAll(async () => {
    [ssm, manager] = await Promise.all([startParameters(), startSecrets()]);
  });
  afterAll(() => Promise.all([ssm.stop(), manager.stop()]));
  beforeEach(() => {
    clock = manualClock();
    secrets = createSecrets({ ssm: ssm.client(), secretsManager: manager.client(), clock });
    ssm.set("/parkway/key", "sk-parameter");
    arn = manager.set("model", '{"api_key":"sk-part","port":5432}');
    manager.set("plain", "sk-whole");
    manager.set("empty", "");
    ssm.requests.length = 0;
    manager.requests.length = 0;
  });

  it("H-126 reads a parameter decrypted, a secret whole, and one key of a secret", async () => {
    expect(await secrets("ssm:/parkway/key")).toBe("sk-parameter");
    expect(await secrets("secret:plain")).toBe("sk-whole");
    expect(await secrets(`secret:${arn}#api_key`)).toBe("sk-part");
  });

  it("H-126 fetches once for callers at the same time and later ones", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => secrets("ssm:/parkway/key")));
    clock.advance(5 * MINUTE_MS - 1);
    all.push(await secrets("ssm:/parkway/key"));

    expect(new Set(all)).toEqual(new Set(["sk-parameter"]));
    expect(ssm.requests).toHaveLength(1);
  });

  it("H-126 notices a rotated secret after five minutes", async () => {
    await secrets("ssm:/parkway/key");
    ssm.set("/parkway/key", "sk-rotated");
    clock.advance(5 * MINUTE_MS);

    expect(await secrets("ssm:/parkway/key")).toBe("sk-rotated");
  });

  it("H-126 goes on with the last value while the service fails, for an hour", async () => {
    await secrets("ssm:/parkway/key");
    clock.advance(10 * MINUTE_MS);
    ssm.faults.add(DENIED);
    expect(await secrets("ssm:/parkway/key")).toBe("sk-parameter");

    clock.advance(50 * MINUTE_MS);
    ssm.faults.add(DENIED);
    await expect(secrets("ssm:/parkway/key")).rejects.toBeInstanceOf(SecretUnavailableError);
  });

  it("H-126 drops a secret that was removed", async () => {
    await secrets("ssm:/parkway/key");
    ssm.faults.add({ ...REFUSE, code: "ParameterNotFound" });
    clock.advance(5 * MINUTE_MS);

    await expect(secrets("ssm:/parkway/key")).rejects.toBeInstanceOf(SecretNotFoundError);
  });

  it("H-126 keeps no failure", async () => {
    ssm.faults.add(DENIED);
    await expect(secrets("ssm:/parkway/key")).rejects.toMatchObject({ code: "secret-unavailable", retryable: true });

    expect(await secrets("ssm:/parkway/key")).toBe("sk-parameter");
  });

  it.each([
    ["ssm:/parkway/none", "there is no such parameter"],
    ["secret:none", "there is no such secret"],
    ["secret:model#absent", "no JSON object with text"],
    ["secret:model#port", "no JSON object with text"],
    ["secret:plain#api_key", "no JSON object with text"],
    ["secret:empty", "holds no text"],
  ])("H-126 names %s where it cannot be used, and no value", async (reference, reason) => {
    const error = await secrets(reference).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(SecretNotFoundError);
    expect(error).toMatchObject({ reference, message: expect.stringContaining(reason) });
    expect(everythingOf(error)).not.toMatch(/sk-|5432/);
  });

  it.each(["sk-live-123", "", "ssm:", "secret:", "secret:#key", "env:KEY", "ssm:a b"])(
    "H-126 refuses %j as a reference without repeating it",
    async (text) => {
      const error = await secrets(text).catch((thrown: unknown) => thrown);

      expect(error).toBeInstanceOf(InvalidSecretReferenceError);
      expect(everythingOf(error)).not.toContain("sk-live");
      expect([...ssm.requests, ...manager.requests]).toEqual([]);
    },
  );
});

/** All that a log could print of an error. */
function everythingOf(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return JSON.stringify([error, message, stack, String(cause)]);
}
