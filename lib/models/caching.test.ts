import { describe, expect, it } from "vitest";
import { CLAUDE, connectBedrock } from "./bedrock.fixture.js";
import { environmentCacheStrategy, resolvedCaching } from "./caching.js";
import { connect, failure, request } from "./endpoint.fixture.js";

const promptCache = { enabled: true, ttl: "1h" } as const;

describe("the mark on the wire", () => {
  it.each([
    ["anthropic.claude-haiku-4-5-20251001-v1:0", [{ cachePoint: { type: "default", ttl: "1h" } }]],
    ["us.anthropic.claude-sonnet-4-20250514-v1:0", [{ cachePoint: { type: "default" } }]],
    ["eu.amazon.nova-lite-v1:0", [{ cachePoint: { type: "default" } }]],
    ["anthropic.claude-3-haiku-20240307-v1:0", null],
    ["meta.llama3-3-70b-instruct-v1:0", null],
  ])("R-271 R-282 H-39 of %s is behind the static block, where it has one", async (model, mark) => {
    const asked = request({ promptCache });
    const { model: client, server } = await connectBedrock([{ text: "a" }, { text: "a" }], { model });

    const marked = await client.call(asked);
    const plain = await client.call(request({ promptCache: { ...promptCache, enabled: false } }));

    const [sent, unmarked] = server.requests.map(({ body }) => body);
    expect(sent?.system).toEqual(mark ? [{ text: "S" }, ...mark, { text: "V" }] : [{ text: "S\n\nV" }]);
    expect(unmarked?.system).toEqual([{ text: "S\n\nV" }]);
    expect({ ...sent, system: null }).toEqual({ ...unmarked, system: null });
    expect(marked).toEqual(plain);
  });

  it("A-71 R-271 stays where it is when a summary stands behind the prompt", async () => {
    const { model: client, server } = await connectBedrock([{ text: "a" }], { model: CLAUDE });

    await client.call(request({ promptCache, preface: ["Summary."] }));

    const { system } = server.requests[0]!.body;
    expect(system).toMatchObject([{ text: "S" }, { cachePoint: {} }, { text: "V" }, { text: "Summary." }]);
  });

  it("H-39 is left out for a model that refuses it, and is not tried again", async () => {
    const refusal = {
      status: 403,
      error: { name: "AccessDeniedException", message: "Your request did not allow prompt caching." },
    };
    const { model, server } = await connectBedrock([refusal, { text: "a" }, { text: "b" }]);

    expect(await model.call(request({ promptCache }))).toMatchObject({ text: "a" });
    expect(await model.call(request({ promptCache }))).toMatchObject({ text: "b" });
    expect(server.requests.map(({ body }) => body.system.length)).toEqual([3, 2, 2]);
  });

  it("F-60 a refusal for another reason is final", async () => {
    const { model, server } = await connectBedrock([
      { status: 400, error: { name: "ValidationException", message: "Too long." } },
    ]);

    expect(await failure(model.call(request({ promptCache })))).toMatchObject({ status: 400 });
    expect(server.requests).toHaveLength(1);
  });

  it("R-282 is nowhere in a request to an endpoint that caches by itself", async () => {
    const { model, server } = await connect([{ text: "a" }]);

    await model.call(request({ promptCache }));

    expect(JSON.stringify(server.requests[0]?.body)).not.toMatch(/cache/i);
    expect(server.requests[0]?.body.messages[0]).toEqual({ role: "system", content: "S\n\nV" });
  });
});

describe("what is told of it", () => {
  const bedrock = { ARCHMAX_PROVIDER: "bedrock", ARCHMAX_MODEL: CLAUDE };

  it.each<[Record<string, string>, string | undefined, string]>([
    [bedrock, undefined, "1h"],
    [bedrock, "amazon.nova-pro-v1:0", "5m"],
    [bedrock, "meta.llama3-3-70b-instruct-v1:0", "none"],
    [{ ...bedrock, ARCHMAX_MODEL: "script:replies.yaml" }, undefined, "none"],
    [{ ARCHMAX_API_BASE_URL: "http://m", ARCHMAX_API_KEY: "k", ARCHMAX_MODEL: CLAUDE }, undefined, "none"],
    [{}, undefined, "none"],
  ])("R-283 H-39 is what the environment's model gets (%#)", (env, requested, cache) => {
    expect(resolvedCaching(promptCache, environmentCacheStrategy(env, requested))).toBe(cache);
    expect(resolvedCaching({ ...promptCache, enabled: false }, environmentCacheStrategy(env, requested))).toBe("off");
  });
});
