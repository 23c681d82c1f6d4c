import { describe, expect, it, vi } from "vitest";
import { connect, failure, KEY, lookUp, request } from "./endpoint.fixture.js";
import { ModelCallError, ModelWaitTooLongError } from "./errors.js";

describe("failures", () => {
  it.each([429, 500, 502, 503, 504])("A-46 A-47 F-67 makes a call again after %i", async (status) => {
    const { model, server, waits } = await connect([{ status }, { status }, { text: "at last" }]);

    expect((await model.call(request())).text).toBe("at last");
    expect(server.requests).toHaveLength(3);
    expect(waits).toEqual([500, 1_000]);
  });

  it.each([400, 401, 403, 404, 409, 422, 501])("A-47 F-60 F-67 takes %i for final", async (status) => {
    const { model, server } = await connect([{ status, error: { message: "no", code: "bad" } }]);

    const error = await failure(model.call(request()));

    expect(error).toBeInstanceOf(ModelCallError);
    expect(error).toMatchObject({ status, providerCode: "bad" });
    expect(server.requests).toHaveLength(1);
  });

  it("A-46 gives up after the retries it was given", async () => {
    const { model, server } = await connect(
      { handler: () => ({ status: 503 }) },
      { retry: { retries: 1, baseMs: 10 } },
    );

    expect(await failure(model.call(request()))).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(2);
  });

  it("A-46 refuses a retry that is none when the client is made", async () => {
    await expect(connect([], { retry: { retries: "3" as never } })).rejects.toThrow(/`retry.retries` must be/);
  });

  it("A-49 F-67 waits as Retry-After says, to the letter", async () => {
    const { model, waits } = await connect([
      { status: 429, headers: { "retry-after": "7" } },
      { status: 503, headers: { "Retry-After": "0" } },
      { text: "ok" },
    ]);

    await model.call(request());

    expect(waits).toEqual([7_000, 0]);
  });

  it("A-49 heeds no Retry-After of a status that is tried again only because onError says so", async () => {
    const { model, waits } = await connect([{ status: 404, headers: { "retry-after": "7" } }, { text: "ok" }], {
      retry: { onError: () => "retry" },
    });

    await model.call(request());

    expect(waits).toEqual([500]);
  });

  it("A-48 lets onError decide within the retries", async () => {
    const seen: unknown[] = [];
    const onError = (failed: { status?: number; attempt: number; retryable: boolean }) => {
      seen.push([failed.status, failed.attempt, failed.retryable]);
      return failed.status === 404 ? ("retry" as const) : ("fail" as const);
    };
    const { model, server } = await connect([{ status: 404 }, { status: 503 }], { retry: { onError } });

    expect(await failure(model.call(request()))).toMatchObject({ status: 503 });
    expect(seen).toEqual([
      [404, 0, false],
      [503, 1, true],
    ]);
    expect(server.requests).toHaveLength(2);
  });

  const DELTA = 'data: {"choices":[{"index":0,"delta":{"content":"Hel"},"finish_reason":null}]}\n\n';
  it.each([
    [
      "a page",
      "text/html",
      "<html>\n<title>Welcome</title>",
      /no chat completion.*ARCHMAX_API_BASE_URL.*<html> <title>Welcome/,
    ],
    ["nothing", "application/json", "", /no chat completion.*answered nothing/],
    ["an error", "application/json", '{"error":{"message":"no such model"}}', /no chat completion.*no such model/],
  ])(
    "A-47 F-62 takes %s that comes with 200 for a failure, final and told, not for silence",
    async (_, type, body, said) => {
      for (const streaming of [true, false]) {
        const { model, server } = await connect({ handler: () => ({ raw: { type, body } }) }, { streaming });

        const error = await failure(model.call(request()));

        expect(error).toBeInstanceOf(ModelCallError);
        expect(error?.message).toMatch(said);
        expect(server.requests).toHaveLength(1);
        await server.close();
      }
    },
  );

  it("A-47 names the setting when an endpoint answers whole where a stream was asked for, and the reverse", async () => {
    const whole = { type: "application/json", body: '{"choices":[{"message":{"content":"hi"}}]}' };
    const unasked = await connect([{ raw: whole }], { streaming: true });
    expect((await failure(unasked.model.call(request())))?.message).toMatch(/ARCHMAX_STREAMING=off/);
    await unasked.server.close();

    const stream = { type: "text/event-stream", body: `${DELTA}data: [DONE]\n\n` };
    const { model } = await connect([{ raw: stream }], { streaming: false });
    expect((await failure(model.call(request())))?.message).toMatch(/answered with a stream/);
  });

  it("A-47 H-16 reads a stream that the endpoint calls by another name", async () => {
    const body = `: waiting\n\n${DELTA}data: [DONE]\n\n`;
    const { model } = await connect([{ raw: { type: "text/plain", body } }], { streaming: true });

    expect((await model.call(request())).text).toBe("Hel");
  });

  it("A-47 takes no tool's words for having asked for a stream", async () => {
    const tool = { ...lookUp, parameters: { ...lookUp.parameters, default: { stream: true } } };
    const { model } = await connect([{ text: "Whole." }], { streaming: false });

    expect((await model.call(request({ tools: [tool] }))).text).toBe("Whole.");
  });

  it("A-47 takes a stream that ends quietly in the middle of its answer for broken, and one with either end for whole", async () => {
    const type = "text/event-stream";
    const half = await connect([{ raw: { type, body: DELTA } }]);
    expect((await failure(half.model.call(request())))?.message).toMatch(/ended in the middle/);
    await half.server.close();

    const { model } = await connect([
      { raw: { type, body: ": waiting\n\n" } },
      { raw: { type, body: `${DELTA}data: [DONE]\n\n` } },
      { raw: { type, body: DELTA.replace("null", '"stop"') } },
    ]);
    expect((await model.call(request())).text).toBe("Hel");
    expect((await model.call(request())).text).toBe("Hel");
  });

  it("A-47 F-101 prints nothing of a stream that cannot be read; the error says it", async () => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {});
    const body = 'data: {"id":"a","content":"x\n\ndata: [DONE]\n\n';
    const { model } = await connect([{ raw: { type: "text/event-stream", body } }]);

    expect(await failure(model.call(request()))).toBeInstanceOf(ModelCallError);
    expect(print).not.toHaveBeenCalled();
    print.mockRestore();
  });

  it("A-47 takes a stream that broke after its first content for final", async () => {
    const { model, server } = await connect([{ text: "a long text of several pieces", drop: "mid-answer" }]);
    const deltas: string[] = [];

    expect(await failure(model.call(request({ onText: (text) => deltas.push(text) })))).toBeInstanceOf(ModelCallError);
    expect(deltas.join("")).not.toBe("");
    expect(server.requests).toHaveLength(1);
  });

  it("A-48 A-51 does not ask onError about an abort, and throws its reason", async () => {
    const stop = new AbortController();
    const reason = new Error("cancelled");
    let asked = 0;
    const onError = () => {
      asked += 1;
      return "retry" as const;
    };
    const { model } = await connect(
      {
        handler: () => {
          stop.abort(reason);
          return { delayMs: 20, text: "late" };
        },
      },
      { retry: { onError } },
    );

    expect(await failure(model.call(request({ signal: stop.signal })))).toBe(reason);
    expect(asked).toBe(0);
  });

  it("A-52 hands over instead of starting a wait that outlasts the invocation, and counts the attempts on", async () => {
    const busy = { status: 429, headers: { "retry-after": "120" } };
    const { model, server, waits } = await connect([busy, busy, { text: "never" }]);

    const error = await failure(model.call(request({ maxWaitMs: () => 60_000 })));
    const last = await failure(model.call(request({ attempt: 2, maxWaitMs: () => 60_000 })));

    expect(error).toBeInstanceOf(ModelWaitTooLongError);
    expect(error).toMatchObject({ waitMs: 120_000, attempt: 1, status: 429 });
    expect(last).toMatchObject({ name: "ModelCallError", status: 429 });
    expect(waits).toEqual([]);
    expect(server.requests).toHaveLength(2);
  });

  it("A-52 surfaces the provider's error with the delay when no hand-over lasts that long", async () => {
    const { model } = await connect([{ status: 429, headers: { "retry-after": "7200" }, error: { message: "quota" } }]);

    expect(await failure(model.call(request({ maxWaitMs: () => 60_000 })))).toMatchObject({
      status: 429,
      retryAfterMs: 7_200_000,
      message: expect.stringMatching(/7200 s.*quota/),
    });
  });

  it("F-101 removes the key, query strings and authorization from what a provider echoes", async () => {
    const message = `Incorrect key ${KEY}; see https://example.test/a?token=t0ken; sent Authorization: Bearer ${KEY}`;
    const { model } = await connect([{ status: 401, error: { message } }]);

    const error = await failure(model.call(request()));

    expect(error?.message).toContain("https://example.test/a");
    expect(`${error?.stack}${JSON.stringify(error)}`).not.toMatch(/0123456789|t0ken/);
    expect(error?.cause).toBeUndefined();
  });
});
