/** `agent.stream` and `agent.streamEvents`: a turn as `invoke` makes it, with what LangGraph tells on the way (H-49). */
import type { DriveGraph } from "../turn/types.js";
import { invocation } from "./invoke.js";
import type { Turns } from "./turns.js";
import type { AgentMembers } from "./types.js";

/**
 * The turn begins with the call and is seen through whatever becomes of the reader: who stops reading stops nothing, a
 * `signal` does. A leg that another worker has taken over tells nothing here.
 */
export function createStreams({ run }: Turns): Pick<AgentMembers, "stream" | "streamEvents"> {
  /** What the drive hands out until the turn has settled; an error of the turn is the stream's. */
  function streamed<Item>(
    call: Parameters<Turns["run"]>,
    drive: (hand: (item: Item) => void) => DriveGraph,
  ): ReadableStream<Item> {
    const [sessionId, given, config] = call;
    let isRead = true;
    return new ReadableStream<Item>({
      start(reader) {
        const hand = (item: Item) => {
          if (isRead) reader.enqueue(item);
        };
        run(sessionId, given, config, drive(hand)).then(
          () => isRead && reader.close(),
          (error: unknown) => isRead && reader.error(error),
        );
      },
      cancel() {
        isRead = false;
      },
    });
  }

  return {
    async stream(input, config) {
      const { streamMode = "updates" } = config ?? {};
      return streamed(invocation(input, config), (hand) => async (graph, start, options) => {
        for await (const chunk of await graph.stream(start, { ...options, streamMode })) hand(chunk);
      });
    },
    streamEvents(input, config, filter) {
      const { version = "v2" } = config ?? {};
      return streamed(invocation(input, config), (hand) => async (graph, start, options) => {
        for await (const event of graph.streamEvents(start, { ...options, version }, filter)) hand(event);
      });
    },
  };
}
