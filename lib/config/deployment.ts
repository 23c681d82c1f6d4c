/**
 * What a deployment says of its entrances, as plain JSON: webhooks, event rules, schedules. It travels to the functions as
 * `deployment.json`, so that an entrance reads it without loading the tools and models of the configuration.
 */

/** How a webhook proves who sent it (N-30). Secrets are references, `ssm:<name>` or `secret:<arn>[#jsonKey]`, never values. */
export type WebhookVerification =
  | {
      scheme: "hmac-sha256";
      secrets: readonly string[];
      /** `X-Signature` unless given. */
      header?: string;
      /** What stands before the digest, such as `sha256=`. */
      prefix?: string;
      /** `hex` unless given. */
      encoding?: "hex" | "base64";
    }
  | { scheme: "github"; secrets: readonly string[] }
  | {
      scheme: "stripe" | "slack" | "standard";
      secrets: readonly string[];
      /** How far a timestamp may be off, both ways; 300 unless given, at least 1. */
      toleranceSeconds?: number;
    }
  | { scheme: "none"; allowUnsigned: true };

/** One webhook, under the key `<workflow>/<trigger>` (N-27). Paths are dotted, into the parsed body. */
export interface WebhookConfig {
  verify: WebhookVerification;
  /** Variable to path. Without it the trigger's own names are taken from the body's top level (N-28). */
  map?: Readonly<Record<string, string>>;
  message?: string;
  /** Path within the variables; the trigger's `session:` unless given. */
  sessionPath?: string;
  /** `header:<name>` or `body:<path>` (N-32). */
  dedupe?: string;
  /** Content types taken; `application/json` unless given. */
  accept?: readonly string[];
}

/** An EventBridge rule that fires a trigger. Paths are dotted, into the event (`detail.order.id`). */
export interface EventRuleConfig {
  workflow: string;
  trigger: string;
  /** EventBridge's pattern; it names `source` and `detail-type` (F-75). */
  pattern: Readonly<Record<string, unknown>>;
  /** The environment's own bus unless it says `default`. */
  bus?: "own" | "default";
  variables?: Readonly<Record<string, string>>;
  message?: string;
  sessionPath?: string;
}

/** A schedule that fires a trigger. */
export interface ScheduleConfig {
  workflow: string;
  trigger: string;
  /** `rate(5 minutes)` or EventBridge's `cron(0 8 * * ? *)`. */
  schedule: string;
  /** IANA name; UTC unless given. Only for `cron`. */
  timeZone?: string;
  /** Values, not paths. */
  variables?: Readonly<Record<string, unknown>>;
  message?: string;
  /** The same session at every firing; a new one unless given (or the trigger's `session:` names one). */
  sessionId?: string;
}

export interface Deployment {
  webhooks: Readonly<Record<string, WebhookConfig>>;
  /** By name: the name makes the rule's logical id. */
  events: Readonly<Record<string, EventRuleConfig>>;
  schedules: Readonly<Record<string, ScheduleConfig>>;
  /** Names of the mounts, with which no session id may begin (H-91); absent where the default ones serve. */
  mountNames?: readonly string[];
  /** Further files and folders of the root that travel with the turn function. */
  files?: readonly string[];
}
