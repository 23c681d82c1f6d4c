/** A stand-in for SQS: standard queues of one process, whose delays follow a clock that the test moves. */
import { createHash } from "node:crypto";
import { SQSClient } from "@aws-sdk/client-sqs";
import { ACCOUNT, nameFromArn } from "./arns.js";
import { localClientOptions } from "./client-options.js";
import type { Faults } from "./faults.js";
import { type JsonService, ServiceError, startJsonService } from "./json-service.js";
import { createQueue, type Queue, type QueueOptions } from "./queue.js";

/** SQS developer guide, "Message quotas". */
const MAX_MESSAGE_BYTES = 1_048_576;
const MAX_DELAY_SECONDS = 900;
const MAX_RECEIVED = 10;
const MAX_BATCH = 10;

/** Characters a message must not hold (API reference, SendMessage). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const REFUSED_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ud800-\udfff\ufffe\uffff]/u;

export interface LocalSqs extends JsonService {
  client(): SQSClient;
  /** Makes the queue and returns its address. */
  createQueue(name: string, options?: QueueOptions): string;
  /** The queue of this name or address. */
  queue(nameOrUrl: string): Queue;
  /** Removes and returns the messages visible now, oldest first. */
  take(queueUrl: string): { body: string; visibleAt: number }[];
}

/** @param now - epoch milliseconds; what delays are counted from */
export async function startSqs(now: () => number = Date.now): Promise<LocalSqs> {
  const queues = new Map<string, Queue>();

  function queueOf(input: Record<string, unknown>): Queue {
    const queue = queues.get(nameFromArn(String(input.QueueUrl)));
    if (!queue) throw new ServiceError("com.amazonaws.sqs#QueueDoesNotExist", "The specified queue does not exist.");
    return queue;
  }

  function sendMessage(input: Record<string, unknown>) {
    const queue = queueOf(input);
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
    const { id } = queue.send(body, Number(delay) * 1_000);
    return { MessageId: id, MD5OfMessageBody: md5(body) };
  }

  /** Each entry by itself; what is wrong with one is told beside the others' results. */
  function sendMessageBatch(input: Record<string, unknown>, faults: Faults) {
    const entries = (input.Entries ?? []) as Record<string, unknown>[];
    if (entries.length === 0) throw new ServiceError("com.amazonaws.sqs#EmptyBatchRequest", "No entries.");
    if (entries.length > MAX_BATCH)
      throw new ServiceError("com.amazonaws.sqs#TooManyEntriesInBatchRequest", "Entries?");
    if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
      throw new ServiceError("com.amazonaws.sqs#BatchEntryIdsNotDistinct", "Ids?");
    }
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const { Id, ...message } of entries) {
      const planned = faults.itemRefusal("SendMessageBatch", String(message.MessageBody));
      try {
        if (planned !== undefined) throw new ServiceError(planned, "Refused as planned.");
        Successful.push({ Id, ...sendMessage({ QueueUrl: input.QueueUrl, ...message }) });
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        Failed.push({ Id, Code: error.code.split("#").at(-1), SenderFault: planned === undefined });
      }
    }
    return { Successful, Failed };
  }

  function receiveMessage(input: Record<string, unknown>) {
    const { MaxNumberOfMessages: max = 1, VisibilityTimeout: visibility } = input;
    if (!Number.isInteger(max) || Number(max) < 1 || Number(max) > MAX_RECEIVED) {
      throw invalid(`Value ${max} for parameter MaxNumberOfMessages is invalid. Reason: Must be between 1 and 10.`);
    }
    const received = queueOf(input).receive(
      Number(max),
      visibility === undefined ? undefined : Number(visibility) * 1_000,
    );
    const Messages = received.map((message) => ({
      MessageId: message.id,
      ReceiptHandle: message.handle,
      Body: message.body,
      MD5OfBody: md5(message.body),
      Attributes: { ApproximateReceiveCount: String(message.receives) },
    }));
    return Messages.length > 0 ? { Messages } : {};
  }

  function deleteMessage(input: Record<string, unknown>) {
    queueOf(input).remove(String(input.ReceiptHandle));
    return {};
  }

  function changeVisibility(input: Record<string, unknown>) {
    queueOf(input).changeVisibility(String(input.ReceiptHandle), Number(input.VisibilityTimeout) * 1_000);
    return {};
  }

  const service = await startJsonService({
    target: "AmazonSQS",
    version: "1.0",
    operations: (faults) => ({
      SendMessage: sendMessage,
      SendMessageBatch: (input) => sendMessageBatch(input, faults),
      ReceiveMessage: receiveMessage,
      DeleteMessage: deleteMessage,
      ChangeMessageVisibility: changeVisibility,
    }),
  });
  return {
    ...service,
    client: () => new SQSClient(localClientOptions(service.endpoint)),
    createQueue(name, options) {
      queues.set(name, createQueue(name, now, options));
      return `${service.endpoint}/${ACCOUNT}/${name}`;
    },
    queue: (nameOrUrl) => queueOf({ QueueUrl: nameOrUrl }),
    take(queueUrl) {
      const queue = queueOf({ QueueUrl: queueUrl });
      const visible = queue.messages.filter(({ visibleAt }) => visibleAt <= now());
      const taken = visible.map(({ body, visibleAt }) => ({ body, visibleAt }));
      for (const { handle = "" } of queue.receive(visible.length)) queue.remove(handle);
      return taken;
    },
  };
}

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}

function invalid(message: string): ServiceError {
  return new ServiceError("com.amazonaws.sqs#InvalidParameterValue", message);
}
