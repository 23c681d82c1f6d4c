import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadDotEnv } from "./dotenv.js";
import { environmentPricing, environmentPromptCache, environmentSettings, hasEnvironmentModel } from "./environment.js";
import { InvalidModelSettingError, MissingModelSettingError } from "./errors.js";

const complete = { ARCHMAX_API_BASE_URL: "http://m", ARCHMAX_API_KEY: "k", ARCHMAX_MODEL: "m1" };

function thrown(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("environmentSettings", () => {
  it("H-125 H-132 reads the endpoint and the optional settings", () => {
    const env = { ...complete, ARCHMAX_TEMPERATURE: "0.2", ARCHMAX_MAX_TOKENS: "900", ARCHMAX_STREAMING: "off" };

    expect(environmentSettings(env)).toEqual({
      baseUrl: "http://m",
      apiKey: "k",
      model: "m1",
      temperature: 0.2,
      maxTokens: 900,
      streaming: false,
    });
  });

  it("H-125 names every variable that is missing or empty", () => {
    const error = thrown(() => environmentSettings({ ARCHMAX_API_BASE_URL: "http://m", ARCHMAX_API_KEY: " " }));

    expect(error).toBeInstanceOf(MissingModelSettingError);
    expect(error).toMatchObject({ variables: ["ARCHMAX_API_KEY", "ARCHMAX_MODEL"] });
  });

  it("H-125 H-132 ARCHMAX_PROVIDER=bedrock needs a model and nothing else", () => {
    const env = { ARCHMAX_PROVIDER: "bedrock", ARCHMAX_MODEL: "m1" };

    expect(environmentSettings(env)).toEqual({ provider: "bedrock", baseUrl: "", apiKey: "", model: "m1" });
    expect(hasEnvironmentModel({ ARCHMAX_PROVIDER: "bedrock" })).toBe(true);
    expect(thrown(() => environmentSettings({ ARCHMAX_PROVIDER: "bedrock" }))).toMatchObject({
      variables: ["ARCHMAX_MODEL"],
    });
    expect(environmentSettings({ ...complete, ARCHMAX_PROVIDER: "openai" })).toMatchObject({ baseUrl: "http://m" });
  });

  it.each([
    ["ARCHMAX_PROVIDER", "azure"],
    ["ARCHMAX_TEMPERATURE", "warm"],
    ["ARCHMAX_MAX_TOKENS", "12k"],
    ["ARCHMAX_MAX_TOKENS", "0x10"],
    ["ARCHMAX_STREAMING", "maybe"],
    ["ARCHMAX_API_BASE_URL", "models.example/v1"],
    ["ARCHMAX_API_BASE_URL", "ftp://models.example"],
  ])("H-125 refuses %s=%s, naming variable and value", (variable, value) => {
    const error = thrown(() => environmentSettings({ ...complete, [variable]: value }));

    expect(error).toBeInstanceOf(InvalidModelSettingError);
    expect(error).toMatchObject({ variable, value });
  });

  it.each([
    ["1", true],
    ["TRUE", true],
    ["Yes", true],
    ["on", true],
    ["0", false],
    ["false", false],
    ["NO", false],
    ["Off", false],
  ])("H-125 reads the boolean %s", (text, value) => {
    expect(environmentSettings({ ...complete, ARCHMAX_STREAMING: text }).streaming).toBe(value);
  });

  it("H-133 asks for neither endpoint nor key when the model is a script", () => {
    expect(environmentSettings({ ARCHMAX_MODEL: "script:demo.yaml" }).model).toBe("script:demo.yaml");
  });

  it("W-82 tells an unset environment from an incomplete one", () => {
    expect(hasEnvironmentModel({ NO_COLOR: "1", ARCHMAX_CLI_NO_BANNER: "1" })).toBe(false);
    expect(hasEnvironmentModel({ ARCHMAX_MODEL: "m" })).toBe(true);
  });
});

describe("the other variables", () => {
  it("H-125 R-282 reads the caching strategy, leaving unset fields out", () => {
    expect(environmentPromptCache({})).toEqual({});
    expect(environmentPromptCache({ ARCHMAX_PROMPT_CACHE: "no", ARCHMAX_PROMPT_CACHE_TTL: "1h" })).toEqual({
      enabled: false,
      ttl: "1h",
    });
    expect(thrown(() => environmentPromptCache({ ARCHMAX_PROMPT_CACHE_TTL: "2h" }))).toMatchObject({
      variable: "ARCHMAX_PROMPT_CACHE_TTL",
      value: "2h",
    });
  });

  it("H-125 fills the default price", () => {
    expect(environmentPricing({ ARCHMAX_PRICE_INPUT: "3", ARCHMAX_PRICE_CACHE_READ: "0.3" })).toEqual({
      default: { input: 3, cacheRead: 0.3 },
    });
    expect(environmentPricing({})).toEqual({});
  });
});

describe("loadDotEnv", () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), "parkway-env-"));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it("H-125 adds the file's variables under those of the process", () => {
    writeFileSync(join(dir, ".env"), '# model\nARCHMAX_MODEL="from file"\nARCHMAX_API_KEY=file\nexport EXTRA=x\n');
    const env = { ARCHMAX_API_KEY: "process", UNSET: undefined };

    const merged = loadDotEnv(dir, env);

    expect(merged).toMatchObject({ ARCHMAX_MODEL: "from file", ARCHMAX_API_KEY: "process", EXTRA: "x" });
    expect(env).not.toHaveProperty("ARCHMAX_MODEL");
  });

  it("H-125 takes a missing file for an empty one", () => {
    expect(loadDotEnv(join(dir, "nowhere"), { A: "1" })).toEqual({ A: "1" });
  });

  it("H-125 names a file that is there and cannot be read", () => {
    mkdirSync(join(dir, ".env"));

    expect(thrown(() => loadDotEnv(dir, {}))).toMatchObject({ code: "env-file", file: join(dir, ".env") });
  });
});
