/** Faults that the wire shows and the engines behind it never do: throttling, conflicts, failures. */
import type { Call } from "./calls.js";

export interface WireFault {
  /** `PutItem`, `TransactWriteItems`, …; any of the service unless given. */
  operation?: string;
  service: string;
  functionName?: string;
  /** How many requests, 1 unless given. */
  times?: number;
  /** Every nth matching request only; each unless given. */
  every?: number;
  answer: FaultAnswer;
}

export type FaultAnswer =
  /** Refused as the service refuses when it is asked too much. */
  | "throttled"
  /** Another transaction holds an item (only `TransactWriteItems`). */
  | "conflict"
  /** The service has a bad moment. */
  | "unavailable";

export interface FaultReply {
  status: number;
  contentType: string;
  body: string;
}

export function plannedWireFaults() {
  const planned: { fault: WireFault; left: number; seen: number }[] = [];
  return {
    add: (fault: WireFault) => void planned.push({ fault, left: fault.times ?? 1, seen: 0 }),
    clear: () => void planned.splice(0),
    /** The answer to give instead of the engine's. */
    take(call: Call): FaultReply | null {
      for (const entry of planned) {
        const { service, operation, functionName, every = 1, answer } = entry.fault;
        const isMeant =
          service === call.service &&
          (operation ?? call.operation) === call.operation &&
          (functionName ?? call.functionName) === call.functionName;
        if (!isMeant || entry.left === 0) continue;
        entry.seen += 1;
        if (entry.seen % every !== 0) continue;
        entry.left -= 1;
        return replyOf(call, answer);
      }
      return null;
    },
  };
}

const JSON_CODES: Record<string, { throttled: string; unavailable: string }> = {
  dynamodb: {
    throttled: "com.amazonaws.dynamodb.v20120810#ThrottlingException",
    unavailable: "com.amazonaws.dynamodb.v20120810#InternalServerError",
  },
  sqs: { throttled: "com.amazonaws.sqs#RequestThrottled", unavailable: "InternalFailure" },
};
const OTHERS = { throttled: "ThrottlingException", unavailable: "InternalFailure" };

function replyOf({ service, input }: Call, answer: FaultAnswer): FaultReply {
  if (service === "s3") {
    const body = "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";
    return { status: 503, contentType: "application/xml", body };
  }
  if (answer === "conflict") {
    const reasons = (input.TransactItems as unknown[]).map((_, index) => ({
      Code: index === 0 ? "TransactionConflict" : "None",
    }));
    return json(400, "com.amazonaws.dynamodb.v20120810#TransactionCanceledException", { CancellationReasons: reasons });
  }
  const codes = JSON_CODES[service] ?? OTHERS;
  return answer === "throttled" ? json(400, codes.throttled) : json(500, codes.unavailable);
}

function json(status: number, type: string, more: object = {}): FaultReply {
  const body = JSON.stringify({ __type: type, message: "As planned.", Message: "As planned.", ...more });
  return { status, contentType: "application/x-amz-json-1.0", body };
}
