/** A stand-in for SQS: standard queues of one process, whose delays follow a clock that the test moves. */
import { createHash, randomUUID } from "node:crypto";
import { SQSClient } from "@aws-sdk/client-sqs";
import { localClientOptions } from "./client-options.js";
import { type JsonService, ServiceError, startJsonService } from "./json-service.js";

/** SQS developer guide, "Message quotas". */
const MAX_MESSAGE_BYTES = 1_048_576;
const MAX_DELAY_SECONDS = 900;

/** Characters a message must not hold (API reference, SendMessage). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const REFUSED_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u;

export interface Message {
  body: string;
  /** Epoch milliseconds. */
  visibleAt: number;
}

export interface LocalSqs extends JsonService {
  client(): SQSClient;
  /** Makes the queue and returns its address. */
  createQueue(name: string): string;
  /** Removes and returns the messages visible now, oldest first. */
  take(queueUrl: string): Message[];
}

/** @param now - epoch milliseconds; what delays are counted from */
export async function startSqs(now: () => number = Date.now): Promise<LocalSqs> {
  const queues = new Map<string, Message[]>();

  function sendMessage(input: Record<string, unknown>) {
    const queue = queues.get(String(input.QueueUrl));
    if (!queue) throw new ServiceError("com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist.");
    const { MessageBody: body, DelaySeconds: delay = 0 } = input;
    if (typeof body !== "string" || body === "") {
      throw new ServiceError("com.amazonaws.sqs#MissingParameter", "The request must contain a message body.");
    }
    if (!Number.isInteger(delay) || Number(delay) < 0 || Number(delay) > MAX_DELAY_SECONDS) {
      throw invalid(
        `Value ${delay} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`,
      );
    }
    if (Buffer.byteLength(body) > MAX_MESSAGE_BYTES) {
      throw invalid(
        `One or more parameters are invalid. Reason: Message must be shorter than ${MAX_MESSAGE_BYTES} bytes.`,
      );
    }
    if (REFUSED_CHARACTER.test(body)) {
      throw new ServiceError("com.amazonaws.sqs#InvalidMessageContents", "Invalid characters found.");
    }
    queue.push({ body, visibleAt: now() + Number(delay) * 1_000 });
    return { MessageId: randomUUID(), MD5OfMessageBody: createHash("md5").update(body).digest("hex") };
  }

  const service = await startJsonService({
    target: "AmazonSQS",
    version: "1.0",
    operations: () => ({ SendMessage: sendMessage }),
  });
  return {
    ...service,
    client: () => new SQSClient(localClientOptions(service.endpoint)),
    createQueue(name) {
      const url = `${service.endpoint}/000000000000/${name}`;
      queues.set(url, []);
      return url;
    },
    take(queueUrl) {
      const all = queues.get(queueUrl) ?? [];
      queues.set(
        queueUrl,
        all.filter((message) => message.visibleAt > now()),
      );
      return all.filter((message) => message.visibleAt <= now());
    },
  };
}

function invalid(message: string): ServiceError {
  return new ServiceError("com.amazonaws.sqs#InvalidParameterValue", message);
}
