/** A stand-in for EventBridge: takes events onto buses and keeps them. */
import { randomUUID } from "node:crypto";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { ACCOUNT, nameFromArn, REGION } from "./arns.js";
import { localClientOptions } from "./client-options.js";
import type { Envelope } from "./events/rules.js";
import type { Faults } from "./faults.js";
import { type JsonService, ServiceError, startJsonService } from "./json-service.js";

/** EventBridge user guide, "Quotas" and "Calculating event entry size": the older, smaller bound on a whole call. */
const MAX_ENTRIES = 10;
const MAX_CALL_BYTES = 262_144;
const MAX_DETAIL_TYPE_CHARS = 128;

export interface BusEvent {
  source: string;
  detailType: string;
  detail: unknown;
  /** Epoch milliseconds. */
  time: number;
}

export interface LocalEventBridge extends JsonService {
  client(): EventBridgeClient;
  createBus(name: string): void;
  /** What the bus took, in the order it took it. */
  events(bus: string): BusEvent[];
}

interface Entry {
  Source?: string;
  DetailType?: string;
  Detail?: string;
  EventBusName?: string;
  /** Epoch seconds. */
  Time?: number;
  Resources?: string[];
}

/**
 * An item of `PutEvents` is named by its detail's `id`.
 *
 * @param onEvent - told of every event that a bus takes, in the form its rules see
 */
export async function startEventBridge(
  onEvent: (bus: string, event: Envelope) => void = () => {},
): Promise<LocalEventBridge> {
  const buses = new Map<string, BusEvent[]>();

  function putEvents(input: Record<string, unknown>, faults: Faults) {
    const entries = input.Entries as Entry[];
    if (!Array.isArray(entries) || entries.length === 0 || entries.length > MAX_ENTRIES) {
      throw new ServiceError("ValidationException", `Entries must have between 1 and ${MAX_ENTRIES} members.`);
    }
    const size = entries.reduce((sum, entry) => sum + sizeOf(entry), 0);
    if (size >= MAX_CALL_BYTES) {
      throw new ServiceError("ValidationException", "Total size of the entries in the request is over the limit.");
    }
    const results = entries.map((entry) => put(entry, faults));
    return { FailedEntryCount: results.filter((result) => "ErrorCode" in result).length, Entries: results };
  }

  function put(entry: Entry, faults: Faults) {
    const { Source = "", DetailType = "", Detail = "", EventBusName = "default", Time } = entry;
    const detail = parsed(Detail);
    if (detail === undefined) return { ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed." };
    if (Source === "" || Source.startsWith("aws.")) return { ErrorCode: "InvalidArgument", ErrorMessage: "Source?" };
    if (DetailType === "" || DetailType.length > MAX_DETAIL_TYPE_CHARS) {
      return { ErrorCode: "InvalidArgument", ErrorMessage: "DetailType?" };
    }
    const planned = faults.itemRefusal("PutEvents", String((detail as { id?: unknown }).id));
    if (planned !== undefined) return { ErrorCode: planned, ErrorMessage: "Refused as planned." };
    const busName = nameFromArn(EventBusName);
    const bus = buses.get(busName);
    if (!bus) return { ErrorCode: "ResourceNotFoundException", ErrorMessage: `No bus ${EventBusName}.` };
    bus.push({ source: Source, detailType: DetailType, detail, time: Number(Time) * 1_000 });
    const id = randomUUID();
    const time = new Date(Time === undefined ? Date.now() : Number(Time) * 1_000).toISOString().replace(/\.\d+Z$/, "Z");
    const place = { account: ACCOUNT, region: REGION, resources: entry.Resources ?? [] };
    onEvent(busName, { version: "0", id, "detail-type": DetailType, source: Source, time, ...place, detail });
    return { EventId: id };
  }

  const service = await startJsonService({
    target: "AWSEvents",
    version: "1.1",
    operations: (faults) => ({ PutEvents: (input) => putEvents(input, faults) }),
  });
  return {
    ...service,
    client: () => new EventBridgeClient(localClientOptions(service.endpoint)),
    createBus: (name) => buses.set(name, []),
    events: (bus) => buses.get(bus) ?? [],
  };
}

function sizeOf({ Source = "", DetailType = "", Detail = "", Time }: Entry): number {
  const texts = [Source, DetailType, Detail].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return texts + (Time === undefined ? 0 : 14);
}

/** The detail, which must be a JSON object. */
function parsed(detail: string): unknown {
  try {
    const value: unknown = JSON.parse(detail);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
