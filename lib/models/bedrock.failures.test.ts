import { afterEach, describe, expect, it, vi } from "vitest";
import { CLAUDE, connectBedrock } from "./bedrock.fixture.js";
import { createChatModel } from "./chat-model.js";
import { failure, request } from "./endpoint.fixture.js";
import { InvalidModelSettingError, MissingModelSettingError, ModelCallError, ModelWaitTooLongError } from "./errors.js";

const throttled = {
  status: 429,
  error: { name: "ThrottlingException", message: "Too many requests." },
};

describe("a request that Bedrock refuses", () => {
  it("A-46 A-47 A-49 F-67 is made again after throttling, as Retry-After says or doubling", async () => {
    const { model, server, waits } = await connectBedrock([
      { ...throttled, headers: { "retry-after": "7" } },
      { status: 503, error: { name: "ServiceUnavailableException", message: "Busy." } },
      { text: "there" },
    ]);

    expect(await model.call(request())).toMatchObject({ text: "there" });
    expect(waits).toEqual([7_000, 1_000]);
    expect(server.requests).toHaveLength(3);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  });

  it("A-46 surfaces the last failure when the attempts are spent", async () => {
    const { model, server } = await connectBedrock(() => throttled);

    const error = await failure(model.call(request()));

    expect(error).toBeInstanceOf(ModelCallError);
    expect(error).toMatchObject({ status: 429, providerCode: "ThrottlingException" });
    expect(server.requests).toHaveLength(3);
  });

  it("A-47 F-60 F-101 is final where the request itself is at fault, and quotes no key", async () => {
    const message = "The model id is wrong, said AKIATESTTESTTEST at https://b.example/x?X-Amz-Signature=abc.";
    const { model, server } = await connectBedrock([{ status: 400, error: { name: "ValidationException", message } }]);

    const error = await failure(model.call(request()));

    expect(error).toMatchObject({ status: 400, providerCode: "ValidationException" });
    expect(error?.message).toContain("The model id is wrong");
    expect(error?.message).not.toMatch(/AKIA|Signature/);
    expect(server.requests).toHaveLength(1);
  });

  it("A-48 is judged by onError", async () => {
    const seen: unknown[] = [];
    const onError = (failed: { status?: number; attempt: number; retryable: boolean }) => {
      seen.push([failed.status, failed.attempt, failed.retryable]);
      return "fail" as const;
    };
    const { model } = await connectBedrock([throttled], { retry: { onError } });

    expect(await failure(model.call(request()))).toMatchObject({ status: 429 });
    expect(seen).toEqual([[429, 0, true]]);
  });

  it("A-52 is handed over where the wait is longer than what is left", async () => {
    const { model, waits } = await connectBedrock([{ ...throttled, headers: { "retry-after": "120" } }]);

    const error = await failure(model.call(request({ maxWaitMs: () => 30_000 })));

    expect(error).toBeInstanceOf(ModelWaitTooLongError);
    expect(error).toMatchObject({ waitMs: 120_000, attempt: 1, status: 429 });
    expect(waits).toEqual([]);
  });
});

describe("a stream of Bedrock's that breaks", () => {
  const busy = { name: "ThrottlingException", message: "Too many tokens." };

  it.each([
    ["an exception", busy],
    ["a cut connection", "cut" as const],
  ])("A-47 before its first content by %s, is asked for again", async (_, by) => {
    const { model, server } = await connectBedrock([
      { text: "lost", breaks: { at: "before-content", by } },
      { text: "there" },
    ]);
    const deltas: string[] = [];

    expect(await model.call(request({ onText: (text) => deltas.push(text) }))).toMatchObject({ text: "there" });
    expect(deltas.join("")).toBe("there");
    expect(server.requests).toHaveLength(2);
  });

  it.each([
    ["an exception", busy, 429],
    ["a cut connection", "cut" as const, undefined],
  ])("A-47 in the middle by %s, has failed for good", async (_, by, status) => {
    const { model, server } = await connectBedrock([
      { text: "half of what was to be said", breaks: { at: "mid-answer", by } },
    ]);
    const deltas: string[] = [];

    const error = await failure(model.call(request({ onText: (text) => deltas.push(text) })));

    expect(error).toBeInstanceOf(ModelCallError);
    expect(error?.status).toBe(status);
    expect(deltas.join("")).not.toBe("");
    expect(server.requests).toHaveLength(1);
  });

  it("A-47 before its first content by an error that no attempt mends, has failed for good", async () => {
    const by = { name: "ValidationException", message: "Not like this." };
    const { model, server } = await connectBedrock([{ text: "x", breaks: { at: "before-content", by } }]);

    expect(await failure(model.call(request()))).toMatchObject({ status: 400, providerCode: "ValidationException" });
    expect(server.requests).toHaveLength(1);
  });

  it.each([["before-content" as const], ["mid-answer" as const]])(
    "R-165 A-48 that falls silent %s ends on abort, with the signal's reason",
    async (at) => {
      const stop = new AbortController();
      const reason = new Error("enough");
      const { model, server } = await connectBedrock(() => {
        if (at === "before-content") setImmediate(() => stop.abort(reason));
        return { text: "half of what was to be said", breaks: { at, by: "silence" } };
      });

      const error = await failure(model.call(request({ signal: stop.signal, onText: () => stop.abort(reason) })));

      expect(error).toBe(reason);
      expect(server.requests).toHaveLength(1);
    },
  );
});

describe("what Bedrock needs", () => {
  afterEach(() => vi.unstubAllEnvs());
  const settings = { provider: "bedrock", baseUrl: "", apiKey: "", model: CLAUDE } as const;

  it("H-125 is a region, which the error names", async () => {
    vi.stubEnv("AWS_REGION", undefined);
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");

    const error = await createChatModel(settings).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(MissingModelSettingError);
    expect(error).toMatchObject({ variables: ["AWS_REGION"], message: expect.not.stringContaining(".env") });
  });

  it("A-47 are credentials: without any, no attempt is repeated", async () => {
    const { model, waits, server } = await connectBedrock([]);
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");

    expect(await failure(model.call(request()))).toMatchObject({ message: expect.stringContaining("credentials") });
    expect(waits).toEqual([]);
    expect(server.requests).toEqual([]);
  });

  it("H-132 a provider there is none of is refused", async () => {
    const error = await createChatModel({ ...settings, provider: "azure" as never }).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(InvalidModelSettingError);
    expect(error).toMatchObject({ message: 'provider is "azure"; it must be openai or bedrock.' });
  });
});
