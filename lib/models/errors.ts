/** What goes wrong between the agent and its model. No message holds a configured value of a secret (F-101). */
import { ParkwayError } from "../session/errors.js";

/** No model is configured at all, or the environment lacks settings that the model needs (H-125). */
export class MissingModelSettingError extends ParkwayError {
  override readonly code = "missing-model-setting";
  constructor(
    readonly variables: readonly string[],
    where = "the environment or in the workspace's .env file",
  ) {
    super(
      `The model needs ${variables.join(", ")}: set ${variables.length === 1 ? "it" : "them"} in ${where}, ` +
        "or pass `model` or `modelFactory`.",
    );
  }
}

/** An `ARCHMAX_*` variable holds what it cannot, such as a word where a number belongs (H-125); both are named. */
export class InvalidModelSettingError extends ParkwayError {
  override readonly code = "invalid-model-setting";
  constructor(
    readonly variable: string,
    readonly value: string,
    expected: string,
  ) {
    super(`${variable} is "${value}"; it must be ${expected}.`);
  }
}

/** The `.env` of the workspace is there and cannot be read (H-125). */
export class EnvFileError extends ParkwayError {
  override readonly code = "env-file";
  constructor(
    readonly file: string,
    reason: string,
  ) {
    super(`${file} cannot be read: ${reason}`);
  }
}

/** A turn asks for a model by id, and all that the agent has is one model instance (A-32). */
export class ModelOverrideUnsupportedError extends ParkwayError {
  override readonly code = "model-override-unsupported";
  constructor(readonly model: string) {
    super(
      `The model "${model}" was asked for, and this agent has one model instance, which serves every call: leave ` +
        "`model` out of the call, or give the agent a `modelFactory`.",
    );
  }
}

/** A model call failed for good: by the provider's answer, on the way to it, or after every attempt (A-46, A-47). */
export class ModelCallError extends ParkwayError {
  override readonly code = "model-call-failed";
  /** HTTP status of the last answer; absent when there was none. */
  readonly status?: number;
  /** The provider's own code or type of the error, if it named one. */
  readonly providerCode?: string;
  /** What the provider's last answer asked us to wait, in milliseconds (A-52). */
  readonly retryAfterMs?: number;
  constructor(message: string, facts: { status?: number; providerCode?: string; retryAfterMs?: number } = {}) {
    super(message);
    if (facts.status !== undefined) this.status = facts.status;
    if (facts.providerCode !== undefined) this.providerCode = facts.providerCode;
    if (facts.retryAfterMs !== undefined) this.retryAfterMs = facts.retryAfterMs;
  }
}

/**
 * The wait before the next attempt would outlast the time this invocation has left (A-52). Nothing was waited: hand the
 * turn over for `waitMs` and call again with `attempt`.
 */
export class ModelWaitTooLongError extends ParkwayError {
  override readonly code = "model-wait-too-long";
  override readonly retryable = true;
  constructor(
    readonly waitMs: number,
    readonly attempt: number,
    readonly status?: number,
  ) {
    super(
      `The model's provider ${status ? `answered ${status}` : "could not be reached"}; the next attempt is due in ` +
        `${Math.ceil(waitMs / 1000)} s, which is longer than this invocation lasts.`,
    );
  }
}

/** A model script that cannot be read (H-133). `place` is `line:column` or a path into the file. */
export class InvalidModelScriptError extends ParkwayError {
  override readonly code = "invalid-model-script";
  constructor(
    readonly file: string,
    readonly problems: readonly string[],
  ) {
    super(`The model script ${file} cannot be used: ${problems.join("; ")}.`);
  }
}

/** A call that a model script has no reply for (H-133). */
export class ModelScriptExhaustedError extends ParkwayError {
  override readonly code = "model-script-exhausted";
  constructor(
    readonly file: string,
    readonly role: string,
    readonly replies: number,
    asked: string,
  ) {
    super(
      `The model script ${file} has no reply left for this call of the role ${role}: ${asked}. ` +
        `It holds ${replies} ${replies === 1 ? "reply" : "replies"} for that role.`,
    );
  }
}
