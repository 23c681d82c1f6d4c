import { expect, it } from "vitest";
import { deploymentOf } from "../config/index.js";
import { createLocalSecrets, localVariable, missingSecrets } from "./secrets.js";

it.each([
  ["env:SHOP_SECRET", "SHOP_SECRET"],
  ["ssm:/shop/slack-secret", "SSM_SHOP_SLACK_SECRET"],
  ["secret:hook#current", "SECRET_HOOK_CURRENT"],
  [
    "secret:arn:aws:secretsmanager:eu-central-1:123456789012:secret:shop/hook-AbCdEf#current",
    "SECRET_SHOP_HOOK_ABCDEF_CURRENT",
  ],
  ["ssm:arn:aws:ssm:eu-central-1:123456789012:parameter/shop/slack", "SSM_SHOP_SLACK"],
])("%s is read from %s on one machine", async (reference, variable) => {
  const secrets = createLocalSecrets({ [variable]: "hunter2" });

  expect(localVariable(reference)).toBe(variable);
  expect(await secrets(reference)).toBe("hunter2");
  await expect(createLocalSecrets({ [variable]: "" })(reference)).rejects.toThrow(`set ${variable} in .env`);
});

it("tells which variables the webhooks still need", () => {
  const secrets = ["ssm:/shop/new", "env:OLD"];
  const deployment = deploymentOf({ webhooks: { "a/b": { verify: { scheme: "github", secrets } } } });

  expect(missingSecrets(deployment, { OLD: "x" })).toEqual([
    "webhooks[a/b].verify.secrets[0]: ssm:/shop/new is not known on this machine; set SSM_SHOP_NEW in .env or the environment.",
  ]);
});
