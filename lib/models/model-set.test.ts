import { describe, expect, it } from "vitest";
import { asFactoryModel } from "./border.js";
import { MissingModelSettingError } from "./errors.js";
import { createInProcessModel } from "./in-process.js";
import { createModelSet } from "./model-set.js";
import type { ModelRequest } from "./types.js";

const request: ModelRequest = { system: { static: "", volatile: "" }, messages: [], tools: [], messageId: "m1" };
const named = (model: string) => createInProcessModel({ model, generate: () => ({ content: model }) });
const textOf = async (model: { call(request: ModelRequest): Promise<{ text: string }> }) =>
  (await model.call(request)).text;

describe("createModelSet", () => {
  it("H-11 H-14 R-280 serves agents and graders from an explicit model, whatever id is declared", async () => {
    const models = createModelSet({
      env: {},
      model: await named("explicit"),
      modelFactory: (role) => named(`factory-${role}`),
    });

    expect(await textOf(await models.forCall("agent", "declared"))).toBe("explicit");
    expect(await textOf(await models.forCall("grader", "declared"))).toBe("explicit");
    expect(await textOf(await models.forCall("judge"))).toBe("factory-judge");
  });

  it("H-12 R-280 hands role and requested id to the factory, none to a judge, and the environment only when asked", async () => {
    const asked: unknown[] = [];
    const models = createModelSet({
      env: {},
      modelFactory: (role, _env, requested) => {
        asked.push([role, requested]);
        return named("m");
      },
    });

    await models.forCall("agent", "a");
    await models.forCall("grader");
    await models.forCall("judge", "ignored");

    expect(asked).toEqual([
      ["agent", "a"],
      ["grader", undefined],
      ["judge", undefined],
    ]);
  });

  it("H-12 H-125 lets a factory's env() name what is missing", async () => {
    const models = createModelSet({ env: { ARCHMAX_MODEL: "m" }, modelFactory: (_role, env) => named(env().model) });

    await expect(models.forCall("agent")).rejects.toMatchObject({
      variables: ["ARCHMAX_API_BASE_URL", "ARCHMAX_API_KEY"],
    });
  });

  it("H-12 lets a factory stand at the border itself: a call comes to it as it was asked", async () => {
    const asked: ModelRequest[] = [];
    const models = createModelSet({
      env: {},
      modelFactory: (role) =>
        asFactoryModel({
          id: `own-${role}`,
          async call(given) {
            asked.push(given);
            return { text: "from the border", calls: [], invalid: [] };
          },
        }),
    });

    const model = await models.forCall("grader");

    expect([model.id, await textOf(model)]).toEqual(["own-grader", "from the border"]);
    expect(asked).toEqual([request]);
  });

  it("H-13 R-281 builds one instance per role and id", async () => {
    let built = 0;
    const models = createModelSet({
      env: {},
      modelFactory: () => {
        built += 1;
        return named("m");
      },
    });

    const [first, second] = await Promise.all([models.forCall("agent", "a"), models.forCall("agent", "a")]);
    await models.forCall("agent", "b");
    await models.forCall("grader", "a");

    expect(second).toBe(first);
    expect(built).toBe(3);
  });

  it("H-14 R-280 replaces the environment's id by the requested one", async () => {
    const env = { ARCHMAX_API_BASE_URL: "http://127.0.0.1:9/v1", ARCHMAX_API_KEY: "k", ARCHMAX_MODEL: "default-model" };
    const models = createModelSet({ env });

    expect((await models.forCall("agent", "asked")).id).toBe("asked");
    expect((await models.forCall("agent")).id).toBe("default-model");
  });

  it("W-82 H-125 is not configured without any setting, and then names all of them", async () => {
    const models = createModelSet({ env: { NO_COLOR: "1" } });

    expect(models.configured).toBe(false);
    await expect(models.forCall("agent")).rejects.toBeInstanceOf(MissingModelSettingError);
    await expect(models.forCall("agent")).rejects.toMatchObject({
      variables: ["ARCHMAX_API_BASE_URL", "ARCHMAX_API_KEY", "ARCHMAX_MODEL"],
    });
    expect(createModelSet({ env: { ARCHMAX_MODEL: "m" } }).configured).toBe(true);
    expect(createModelSet({ env: {}, script: "s.yaml" }).configured).toBe(true);
  });
});
