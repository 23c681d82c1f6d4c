export { createEventBridgeBus, type EventBridgeBusOptions, EventsNotSentError, type UnsentEvent } from "./bus.js";
export { busEntry } from "./entries.js";
