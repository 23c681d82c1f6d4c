/** Lifecycle events onto an EventBridge bus (S-97…S-99, F-73). */
import type { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { ParkwayError } from "../../session/errors.js";
import type { EventBus } from "../../session/ports.js";
import { clientSettings } from "../aws-client.js";
import { backoffMs, type Sleep, sleepFor } from "../backoff.js";
import { type BusEntry, busEntry, callsOf } from "./entries.js";

/** How often entries that a call left behind are sent again. */
const ATTEMPTS = 5;

/** Refusals of a single entry that pass by themselves (API reference, PutEventsResultEntry). Any other is final. */
const PASSING = ["InternalException", "InternalFailure", "ServiceUnavailable", "ThrottlingException"];

export interface EventBridgeBusOptions {
  /** Name or ARN. */
  busName: string;
  /** Made from the environment when not given; it repeats what the service throttles. */
  client?: EventBridgeClient;
  endpoint?: string;
  region?: string;
  sleep?: Sleep;
}

export interface UnsentEvent {
  eventId: string;
  /** The service's error code, or `not-tried` for an event behind one that could not be sent. */
  code: string;
}

/** Some events are not on the bus; the others are. Sending all again does no harm: a consumer drops repetitions by id. */
export class EventsNotSentError extends ParkwayError {
  override readonly code = "events-not-sent";
  override readonly retryable = true;
  constructor(
    readonly busName: string,
    readonly unsent: readonly UnsentEvent[],
    options?: ErrorOptions,
  ) {
    const [first] = unsent;
    super(
      `${unsent.length} events could not be put on the bus "${busName}"; the first is ${first?.eventId} (${first?.code}).`,
      options,
    );
  }
}

/** What a call left behind for good. */
interface Leftover {
  unsent: UnsentEvent[];
  cause?: unknown;
}

/**
 * Sends in order, ten entries a call at most. A call's entries each have their own result; only those that failed are
 * sent again. The next call waits for them, and is not made when some are left (S-99).
 *
 * @throws {EventsNotSentError} naming every event that is not on the bus, so far as the service's answers tell
 */
export function createEventBridgeBus(options: EventBridgeBusOptions): EventBus {
  const { busName, sleep = sleepFor } = options;
  let connected: ReturnType<typeof connect> | undefined;

  async function sendCall(call: readonly BusEntry[]): Promise<Leftover> {
    const unsent: UnsentEvent[] = [];
    let left = call;
    for (let attempt = 1; left.length > 0; attempt += 1) {
      if (attempt > 1) await sleep(backoffMs(attempt - 1));
      try {
        const failed = await putEntries(left);
        const isPassing = ({ code }: { code: string }) => attempt < ATTEMPTS && PASSING.includes(code);
        unsent.push(...failed.filter((one) => !isPassing(one)).map(({ entry, code }) => unsentOf(entry, code)));
        left = failed.filter(isPassing).map(({ entry }) => entry);
      } catch (cause) {
        const code = cause instanceof Error ? cause.name : "unknown";
        return { unsent: [...unsent, ...left.map((entry) => unsentOf(entry, code))], cause };
      }
    }
    return { unsent };
  }

  /** One call; returns the entries that it did not take. */
  async function putEntries(entries: readonly BusEntry[]): Promise<{ entry: BusEntry; code: string }[]> {
    connected ??= connect(options);
    const { sdk, client } = await connected;
    const { Entries: results = [] } = await client.send(
      new sdk.PutEventsCommand({ Entries: entries.map(({ entry }) => entry) }),
    );
    return entries.flatMap((entry, index) => {
      const result = results[index];
      return result?.EventId !== undefined ? [] : [{ entry, code: result?.ErrorCode ?? "no-result" }];
    });
  }

  return {
    async publish(events) {
      const calls = callsOf(events.map((event) => busEntry(event, busName)));
      for (const [index, call] of calls.entries()) {
        const { unsent, cause } = await sendCall(call);
        if (unsent.length === 0) continue;
        const behind = calls.slice(index + 1).flat();
        const all = [...unsent, ...behind.map((entry) => unsentOf(entry, "not-tried"))];
        throw new EventsNotSentError(busName, all, { cause });
      }
    },
  };
}

function unsentOf({ eventId }: BusEntry, code: string): UnsentEvent {
  return { eventId, code };
}

async function connect({ client, ...place }: EventBridgeBusOptions) {
  const sdk = await import("@aws-sdk/client-eventbridge");
  return { sdk, client: client ?? new sdk.EventBridgeClient(clientSettings(place)) };
}
