import { expect, it } from "vitest";
import { resolveReferences } from "./references.js";

it("H-126 replaces references in the model's variables, and leaves the environment as it is", async () => {
  const env = {
    ARCHMAX_API_KEY: "secret:arn:aws:secretsmanager:eu-central-1:1:secret:model-AbCdEf#key",
    ARCHMAX_API_BASE_URL: "https://models.example/v1",
    ARCHMAX_MODEL: "ssm:/model",
    OTHER: "ssm:/other",
  };
  const before = { ...env };
  const asked: string[] = [];

  const resolved = await resolveReferences(env, async (reference) => {
    asked.push(reference);
    return `value of ${reference.slice(0, 6)}`;
  });

  expect(resolved).toEqual({
    ARCHMAX_API_KEY: "value of secret",
    ARCHMAX_API_BASE_URL: "https://models.example/v1",
    ARCHMAX_MODEL: "value of ssm:/m",
  });
  expect(asked).toHaveLength(2);
  expect(env).toEqual(before);
});

it("H-126 fails by the reference that cannot be had", async () => {
  const failing = resolveReferences({ ARCHMAX_API_KEY: "ssm:/gone" }, async (reference) => {
    throw new Error(`no ${reference}`);
  });

  await expect(failing).rejects.toThrow("no ssm:/gone");
});
