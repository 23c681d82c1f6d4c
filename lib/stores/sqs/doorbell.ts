/** The doorbell as a message of a queue: `{ "sessionId": "…" }`, delayed to the second. */
import type { SQSClient } from "@aws-sdk/client-sqs";
import { ParkwayError } from "../../session/errors.js";
import { parseSessionId } from "../../session/ids.js";
import type { Doorbell } from "../../session/ports.js";
import { clientSettings } from "../aws-client.js";

/** API reference, SendMessage: `DelaySeconds` goes up to 15 minutes. */
const LONGEST_DELAY_SECONDS = 900;
/** API reference, SendMessageBatch: entries a request. Ten ids of any kind are far from its bound on bytes. */
const BATCH = 10;

export interface SqsDoorbellOptions {
  /** Of a standard queue: a FIFO queue delays no single message. */
  queueUrl: string;
  /** Made from the environment when not given; it repeats what the service throttles. */
  client?: SQSClient;
  endpoint?: string;
  region?: string;
}

/** The queue cannot be a doorbell. */
export class UnusableQueueError extends ParkwayError {
  override readonly code = "unusable-queue";
  constructor(readonly queueUrl: string) {
    super(`"${queueUrl}" is a FIFO queue, which cannot delay a single message; give a standard queue.`);
  }
}

/** The queue took other messages of the request, and not this one. */
export class RingNotSentError extends ParkwayError {
  override readonly code = "ring-not-sent";
  override readonly retryable = true;
  constructor(
    readonly queueUrl: string,
    /** The service's own. */
    readonly failure: string,
  ) {
    super(`The queue "${queueUrl}" did not take a message: ${failure}.`);
  }
}

interface Ring {
  body: string;
  delaySeconds: number;
  done(): void;
  fail(error: unknown): void;
}

/**
 * Rings of one moment, such as a sweep's, share requests; each settles by its own result.
 *
 * A delay is rounded up to the second, so that no bell rings before its time (S-61). One of more than 15 minutes sends
 * nothing: whoever asks for it has set a due mark, and the sweep, which finds it, rings in time (S-13, S-58).
 *
 * @throws {UnusableQueueError} for a FIFO queue
 */
export function createSqsDoorbell(options: SqsDoorbellOptions): Doorbell {
  const { queueUrl } = options;
  if (queueUrl.endsWith(".fifo")) throw new UnusableQueueError(queueUrl);
  let connected: ReturnType<typeof connect> | undefined;
  const waiting: Ring[] = [];

  function send(message: Pick<Ring, "body" | "delaySeconds">): Promise<void> {
    return new Promise((done, fail) => {
      waiting.push({ ...message, done, fail });
      if (waiting.length === 1) queueMicrotask(sendWaiting);
    });
  }

  function sendWaiting(): void {
    const rings = waiting.splice(0);
    for (let first = 0; first < rings.length; first += BATCH) void sendTogether(rings.slice(first, first + BATCH));
  }

  /** Never rejects: each of the rings does. */
  async function sendTogether(rings: readonly Ring[]): Promise<void> {
    try {
      connected ??= connect(options);
      const { sdk, client } = await connected;
      const messages = rings.map(({ body, delaySeconds }) => ({ MessageBody: body, DelaySeconds: delaySeconds }));
      const [only] = messages;
      if (only && messages.length === 1) {
        await client.send(new sdk.SendMessageCommand({ QueueUrl: queueUrl, ...only }));
        for (const ring of rings) ring.done();
        return;
      }
      const Entries = messages.map((message, index) => ({ Id: String(index), ...message }));
      const { Failed = [] } = await client.send(new sdk.SendMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
      const failures = new Map(Failed.map(({ Id, Code }) => [Id, Code ?? "unknown"]));
      for (const [index, ring] of rings.entries()) {
        const failure = failures.get(String(index));
        if (failure === undefined) ring.done();
        else ring.fail(new RingNotSentError(queueUrl, failure));
      }
    } catch (error) {
      for (const ring of rings) ring.fail(error);
    }
  }

  return {
    async ring(sessionId, { delayMs = 0 } = {}) {
      const id = parseSessionId(sessionId);
      const delaySeconds = Math.ceil(Math.max(delayMs, 0) / 1_000);
      if (delaySeconds > LONGEST_DELAY_SECONDS) return;
      await send({ body: asciiJson({ sessionId: id }), delaySeconds });
    },
  };
}

/** The session that a message of the queue names; null when it is none of ours. */
export function sessionOfRing(messageBody: string): string | null {
  try {
    const { sessionId } = JSON.parse(messageBody) as { sessionId?: unknown };
    return typeof sessionId === "string" ? parseSessionId(sessionId) : null;
  } catch {
    return null;
  }
}

/** SQS refuses a message with one of a few characters that ids may hold; escaped, it takes them all. */
function asciiJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[^ -~]/g, escaped);
}

async function connect({ client, ...place }: SqsDoorbellOptions) {
  const sdk = await import("@aws-sdk/client-sqs");
  return { sdk, client: client ?? new sdk.SQSClient(clientSettings(place)) };
}
