/** The doorbell as a message of a queue: `{ "sessionId": "…" }`, delayed to the second. */
import type { SQSClient } from "@aws-sdk/client-sqs";
import { ParkwayError } from "../../session/errors.js";
import { parseSessionId } from "../../session/ids.js";
import type { Doorbell } from "../../session/ports.js";
import { clientSettings } from "../aws-client.js";

/** API reference, SendMessage: `DelaySeconds` goes up to 15 minutes. */
const LONGEST_DELAY_SECONDS = 900;

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

/**
 * A delay is rounded up to the second, so that no bell rings before its time (S-61). One of more than 15 minutes sends
 * nothing: whoever asks for it has set a due mark, and the sweep, which finds it, rings in time (S-13, S-58).
 *
 * @throws {UnusableQueueError} for a FIFO queue
 */
export function createSqsDoorbell(options: SqsDoorbellOptions): Doorbell {
  const { queueUrl } = options;
  if (queueUrl.endsWith(".fifo")) throw new UnusableQueueError(queueUrl);
  let connected: ReturnType<typeof connect> | undefined;

  return {
    async ring(sessionId, { delayMs = 0 } = {}) {
      const id = parseSessionId(sessionId);
      const delaySeconds = Math.ceil(Math.max(delayMs, 0) / 1_000);
      if (delaySeconds > LONGEST_DELAY_SECONDS) return;
      connected ??= connect(options);
      const { sdk, client } = await connected;
      const MessageBody = asciiJson({ sessionId: id });
      await client.send(new sdk.SendMessageCommand({ QueueUrl: queueUrl, MessageBody, DelaySeconds: delaySeconds }));
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
