/** Telling the outside what settled (S-97…S-99). */
import type { EventBus, SessionStore } from "./ports.js";

/** Events published and marked at a time: what a crash in between may publish twice. */
const PUBLISH_BATCH = 10;

export interface PublishResult {
  published: number;
  /** Why the rest was not published; the due mark keeps it. */
  failure?: unknown;
}

/**
 * Publishes a session's lifecycle events in order, each batch marked before the next is sent. A failure is returned, not
 * thrown: publishing never fails or delays a turn (S-98).
 */
export async function publishEvents(
  store: Pick<SessionStore, "unpublished" | "published">,
  bus: EventBus,
  request: { sessionId: string; now: number },
): Promise<PublishResult> {
  let published = 0;
  try {
    const events = await store.unpublished(request.sessionId);
    while (published < events.length) {
      const batch = events.slice(published, published + PUBLISH_BATCH);
      await bus.publish(batch);
      const eventIds = batch.map((event) => event.id);
      await store.published(request.sessionId, eventIds, request.now);
      published += batch.length;
    }
    return { published };
  } catch (failure) {
    return { published, failure };
  }
}
