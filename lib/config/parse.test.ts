import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../workspace/index.js";
import { parseConfig } from "./index.js";

const secrets = ["secret:arn:aws:secretsmanager:eu-central-1:123456789012:secret:hook-AbCdEf#current"];
const rule = { workflow: "refund", trigger: "paid", pattern: { source: ["shop"], "detail-type": ["order.paid"] } };
const daily = { workflow: "refund", trigger: "daily", schedule: "cron(0 8 ? * MON-FRI *)" };

const hook = (fields: object = {}) => ({
  webhooks: { "refund/mail": { verify: { scheme: "github", secrets }, ...fields } },
});
const verified = (verify: object) => hook({ verify });
const onEvent = (fields: object) => ({ events: { paid: { ...rule, ...fields } } });
const onTime = (fields: object) => ({ schedules: { daily: { ...daily, ...fields } } });

const messageOf = (config: unknown): string | null => {
  try {
    parseConfig(config);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError);
    return (error as Error).message;
  }
};

describe("what a configuration may say of its entrances", () => {
  it.each<[ids: string, config: object]>([
    ["N-27", hook()],
    ["N-27", { webhooks: { "a/b/c": { verify: { scheme: "github", secrets } } } }],
    [
      "N-28",
      hook({ map: { from_email: "Data.From", body: "data.text" }, message: "data.text", sessionPath: "thread.id" }),
    ],
    ["N-30", verified({ scheme: "hmac-sha256", secrets })],
    ["N-30", verified({ scheme: "hmac-sha256", secrets, header: "X-Sig", prefix: "sha256=", encoding: "base64" })],
    ["N-30", verified({ scheme: "stripe", secrets, toleranceSeconds: 1 })],
    ["N-30", verified({ scheme: "slack", secrets: ["ssm:/shop/slack", "env:SLACK_SECRET"] })],
    ["N-30", verified({ scheme: "standard", secrets: ["secret:hook"] })],
    ["N-30", verified({ scheme: "none", allowUnsigned: true })],
    ["N-32", hook({ dedupe: "header:X-Delivery" })],
    ["N-32", hook({ dedupe: "body:event.id", accept: ["application/json", "application/x-www-form-urlencoded"] })],
    ["F-75", onEvent({ bus: "default", variables: { order_id: "detail.orderId" }, message: "detail-type" })],
    ["F-75", onEvent({ pattern: { ...rule.pattern, detail: { amount: [{ numeric: [">", 100] }] } } })],
    [
      "C-73",
      onTime({
        timeZone: "Europe/Vienna",
        variables: { limit: 3, title: "Daily" },
        message: "Go.",
        sessionId: "daily",
      }),
    ],
    ["C-73", onTime({ schedule: "rate(5 minutes)" })],
    ["H-24 C-73", { images: true }],
    ["H-24 C-73", { images: { maxBytes: 1000, keep: 2 } }],
    [
      "C-73",
      {
        mounts: {
          "/kb/": createMemoryBackend(),
          "/x/": { backend: createMemoryBackend(), readOnly: false, governed: true, searchable: false },
        },
        skills: ["house/"],
        files: ["kb/", "notes/a.txt"],
      },
    ],
    [
      "C-73",
      { toolEffects: { pay: { idempotent: true }, send: { reconcile: () => "unknown" } }, policyRules: [() => null] },
    ],
    ["C-73", { retry: { retries: 0, baseMs: 100, onError: () => "fail" } }],
  ])("%s takes %j and returns that very object", (_ids, config) => {
    expect(parseConfig(config)).toBe(config);
  });

  it.each<[ids: string, config: object, place: string, says: string]>([
    ["N-27", { webhooks: { refund: hook().webhooks["refund/mail"] } }, "webhooks.refund", "<workflow>/<trigger>"],
    [
      "N-27",
      { webhooks: { "Refund/mail": hook().webhooks["refund/mail"] } },
      "webhooks[Refund/mail]",
      "<workflow>/<trigger>",
    ],
    ["H-24 C-73", { images: 3 }, "images", "must be true, false or an object"],
    ["N-27", hook({ mapp: {} }), "webhooks[refund/mail]", 'unknown key "mapp"; known are verify, map'],
    ["N-28", hook({ map: { trigger: "a" } }), "webhooks[refund/mail].map.trigger", "cannot be mapped"],
    ["N-28", hook({ map: { title: "a" } }), "webhooks[refund/mail].map.title", "cannot be mapped"],
    ["N-28", hook({ map: { From: "a" } }), "webhooks[refund/mail].map.From", "no variable name"],
    ["N-28", hook({ map: { a: "b..c" } }), "webhooks[refund/mail].map.a", "dotted path"],
    ["N-28", hook({ message: "" }), "webhooks[refund/mail].message", "dotted path"],
    ["N-28", hook({ sessionPath: "Thread.id" }), "webhooks[refund/mail].sessionPath", "not a variable name"],
    ["N-30", { webhooks: { "refund/mail": {} } }, "webhooks[refund/mail].verify", "scheme"],
    [
      "N-30",
      verified({ scheme: "sha1", secrets }),
      "webhooks[refund/mail].verify.scheme",
      "must be one of hmac-sha256, github",
    ],
    ["N-30", verified({ scheme: "github", secrets: [] }), "webhooks[refund/mail].verify.secrets", "at least one"],
    [
      "N-30",
      verified({ scheme: "github", secrets, toleranceSeconds: 5 }),
      "webhooks[refund/mail].verify",
      "toleranceSeconds",
    ],
    [
      "N-30",
      verified({ scheme: "stripe", secrets, toleranceSeconds: 0 }),
      "webhooks[refund/mail].verify.toleranceSeconds",
      "at least 1",
    ],
    [
      "N-30",
      verified({ scheme: "stripe", secrets, toleranceSeconds: 1.5 }),
      "webhooks[refund/mail].verify.toleranceSeconds",
      "whole number",
    ],
    ["N-30", verified({ scheme: "none" }), "webhooks[refund/mail].verify.allowUnsigned", "must be true beside"],
    [
      "N-30",
      verified({ scheme: "none", allowUnsigned: false }),
      "webhooks[refund/mail].verify.allowUnsigned",
      "anybody could call",
    ],
    [
      "N-30",
      verified({ scheme: "github", secrets, allowUnsigned: true }),
      "webhooks[refund/mail].verify",
      "allowUnsigned",
    ],
    [
      "N-30",
      verified({ scheme: "hmac-sha256", secrets, header: "X Sig" }),
      "webhooks[refund/mail].verify.header",
      "header",
    ],
    ["N-32", hook({ dedupe: "header:" }), "webhooks[refund/mail].dedupe", "header:<name> or body:<path>"],
    ["N-32", hook({ dedupe: "body:a..b" }), "webhooks[refund/mail].dedupe", "header:<name> or body:<path>"],
    ["N-32", hook({ dedupe: "id" }), "webhooks[refund/mail].dedupe", "header:<name> or body:<path>"],
    ["N-27", hook({ accept: ["json"] }), "webhooks[refund/mail].accept[0]", "content type"],
    ["F-75", onEvent({ pattern: { source: ["shop"] } }), "events.paid.pattern", 'must name "detail-type"'],
    ["F-75", onEvent({ pattern: { "detail-type": ["x"] } }), "events.paid.pattern", 'must name "source"'],
    ["F-75", onEvent({ pattern: { ...rule.pattern, source: [] } }), "events.paid.pattern.source", "must be a list"],
    ["F-75", onEvent({ pattern: { ...rule.pattern, time: [new Date(0)] } }), "events.paid.pattern.time", "plain JSON"],
    [
      "F-75",
      onEvent({ pattern: { ...rule.pattern, detail: { a: [{ prefx: "x" }] } } }),
      "events.paid.pattern.detail.a[0]",
      "one comparison of prefix",
    ],
    ["F-75", onEvent({ variables: { title: "detail.x" } }), "events.paid.variables.title", "cannot be mapped"],
    ["C-73", { events: { "pa id": rule } }, "events[pa id]", "letters, digits and -"],
    ["C-73", { events: { paid: rule, Paid: rule } }, "events.Paid", 'differs from "paid" only in case'],
    ["C-73", { schedules: { "1st": daily } }, "schedules.1st", "beginning with a letter"],
    ["C-73", onTime({ schedule: "every day" }), "schedules.daily.schedule", "rate(5 minutes)"],
    ["C-73", onTime({ timeZone: "Vienna" }), "schedules.daily.timeZone", "Europe/Vienna"],
    [
      "C-73",
      onTime({ schedule: "rate(1 day)", timeZone: "UTC" }),
      "schedules.daily.timeZone",
      "means nothing to a rate",
    ],
    ["C-73", onTime({ variables: { trigger: "x" } }), "schedules.daily.variables.trigger", "set by the runtime"],
    ["C-73", onTime({ variables: { title: " " } }), "schedules.daily.variables.title", "blank"],
    ["C-73", onTime({ variables: { at: () => 1 } }), "schedules.daily.variables.at", "plain JSON"],
    ["C-73", { mounts: { "/kb/": {} } }, "mounts[/kb/]", "must be a backend"],
    ["C-73", { mounts: { "/kb/": { backend: createMemoryBackend(), readonly: true } } }, "mounts[/kb/]", "readOnly?"],
    ["C-73", { files: ["../x"] }, "files[0]", "inside the root"],
    ["C-73", { files: ["/etc"] }, "files[0]", "inside the root"],
    ["C-73", { files: ["kb/.env"] }, "files[0]", "inside the root"],
    ["C-73", { files: ["sessions/"] }, "files[0]", "inside the root"],
    ["C-73", { skills: "skills/" }, "skills", "must be a list"],
    ["C-73", { toolEffects: { pay: { idempotnt: true } } }, "toolEffects.pay", 'unknown key "idempotnt"'],
    ["C-73", { retry: { retries: -1 } }, "retry.retries", "whole number from 0"],
    ["C-73", { policyRules: [{}] }, "policyRules[0]", "function"],
  ])("%s refuses %j, naming %s", (_ids, config, place, says) => {
    const message = messageOf(config);

    expect(message).toContain(`"${place}" `);
    expect(message).toContain(says);
  });

  it("N-30 refuses a secret that stands there itself, and never shows it", () => {
    const message = messageOf(verified({ scheme: "github", secrets: ["hunter2-hunter2"] }));

    expect(message).toContain('"webhooks[refund/mail].verify.secrets[0]" must be a reference to a secret');
    expect(message).toContain("ssm:<name>");
    expect(message).not.toContain("hunter2");
  });

  it("C-73 tells several problems at once, on one line", () => {
    const message = messageOf({ ...verified({ scheme: "none" }), ...onTime({ schedule: "x" }) });

    expect(message).toMatch(/^"webhooks.*; "schedules[^\n]*$/);
  });

  it("A-4 A-16 A-18 takes what a host sets around calls, checked as createAgent checks it", () => {
    const completion = { verify: () => ({ ok: true }), maxAttempts: 2 };
    const config = { guardrails: [() => undefined], hooks: {}, agents: { refund: { completion } } };

    expect(parseConfig(config)).toBe(config);
    expect(() => parseConfig({ guardrails: ["no"] })).toThrow(expect.objectContaining({ code: "invalid-guardrail" }));
    expect(() => parseConfig({ completion: { ...completion, maxAttempts: 0 } })).toThrow(
      expect.objectContaining({ code: "invalid-completion" }),
    );
    expect(messageOf({ onMetric: "stdout" })).toContain('"onMetric" must be a function');
  });
});
