/** The mapping of a queue to a function: polls, invokes, removes what was processed, leaves what failed to its visibility. */
import { ACCOUNT, REGION } from "../arns.js";
import type { BenchClock } from "../bench-clock.js";
import type { Message, Queue } from "../queue.js";
import { type LambdaHost, ThrottledError } from "./lambda-host.js";

const THROTTLED_AGAIN_MS = 1_000;

export interface EventSourceMapping {
  functionName: string;
  queue: Queue;
  batchSize: number;
  /** Invocations at one time; as many as there are batches unless given. */
  maximumConcurrency?: number;
  /** The function names what failed; the rest of its batch is removed. */
  reportsItemFailures: boolean;
}

export interface EventSource {
  /** Every invocation of the mapping is done, and nothing more is visible. */
  drained(): Promise<void>;
  /** Stops taking messages until started again: an outage of the queue's consumer. */
  pause(): void;
  resume(): void;
}

/** @param onCall - told what the mapping does in the function's name, for its role has to allow it */
export function startEventSource(options: {
  host: LambdaHost;
  clock: BenchClock;
  mapping: EventSourceMapping;
  onCall?: (action: string, queueArn: string) => void;
}): EventSource {
  const { host, clock, mapping, onCall } = options;
  const { queue, functionName } = mapping;
  const queueArn = `arn:aws:sqs:${REGION}:${ACCOUNT}:${queue.name}`;
  const idlers: (() => void)[] = [];
  let running = 0;
  let isPaused = false;
  let isPolling = false;
  let cancelTimer = () => {};

  function poll(): void {
    if (isPolling || isPaused) return;
    isPolling = true;
    while (running < (mapping.maximumConcurrency ?? Number.POSITIVE_INFINITY)) {
      const batch = queue.receive(mapping.batchSize);
      if (batch.length === 0) break;
      onCall?.("sqs:ReceiveMessage", queueArn);
      void work(batch);
    }
    isPolling = false;
    cancelTimer();
    const next = queue.nextAt();
    if (next !== null && next > clock.now()) cancelTimer = clock.at(next, poll);
  }

  async function work(batch: Message[]): Promise<void> {
    running += 1;
    try {
      const { error, payload } = await host.invoke(functionName, { Records: batch.map(recordOf) });
      if (error) return;
      const failed = failedOf(payload);
      for (const { id, handle = "" } of batch) {
        if (failed === "all" || failed.has(id)) continue;
        onCall?.("sqs:DeleteMessage", queueArn);
        queue.remove(handle);
      }
    } catch (error) {
      if (!(error instanceof ThrottledError)) throw error;
      for (const { handle = "" } of batch) queue.changeVisibility(handle, THROTTLED_AGAIN_MS);
    } finally {
      running -= 1;
      poll();
      if (running === 0) for (const wake of idlers.splice(0)) wake();
    }
  }

  /** Lambda developer guide, "Implementing partial batch responses": an answer of no known shape fails the whole batch. */
  function failedOf(payload: unknown): Set<string> | "all" {
    if (!mapping.reportsItemFailures) return new Set();
    const { batchItemFailures = [] } = (payload ?? {}) as { batchItemFailures?: { itemIdentifier?: unknown }[] };
    if (!Array.isArray(batchItemFailures)) return "all";
    const ids = batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
    return ids.every((id) => typeof id === "string" && id !== "") ? new Set(ids as string[]) : "all";
  }

  function recordOf(message: Message) {
    return {
      messageId: message.id,
      receiptHandle: message.handle,
      body: message.body,
      attributes: {
        ApproximateReceiveCount: String(message.receives),
        SentTimestamp: String(Math.floor(message.sentAt)),
        ApproximateFirstReceiveTimestamp: String(Math.floor(message.firstReceivedAt ?? 0)),
        SenderId: ACCOUNT,
      },
      messageAttributes: {},
      md5OfBody: "",
      eventSource: "aws:sqs",
      eventSourceARN: queueArn,
      awsRegion: REGION,
    };
  }

  queue.onChange(poll);
  poll();
  return {
    drained: () => {
      const next = queue.nextAt();
      const isDone = running === 0 && (next === null || next > clock.now() || isPaused);
      return isDone ? Promise.resolve() : new Promise((resolve) => idlers.push(resolve));
    },
    pause() {
      isPaused = true;
    },
    resume() {
      isPaused = false;
      poll();
    },
  };
}
