/** Reading, deciding, and writing on the condition that nothing has changed in between; as often as it takes. */
import type { Lease } from "../../session/ports.js";
import type { Decision, Writes } from "../../session/protocol/index.js";
import { type Context, forOperation } from "./carrying.js";
import { hasRevision } from "./expressions.js";
import { persistently } from "./persistently.js";
import { loadView } from "./reading.js";
import type { View } from "./record-item.js";
import { type Held, takeWith } from "./taking.js";
import { write } from "./writing.js";

/** The decision is made anew on every read. */
export async function decided<Result>(
  given: Context,
  sessionId: string,
  decide: (view: View) => Decision<Result>,
): Promise<Result> {
  const context = forOperation(given);
  return persistently("write", context.sleep, async () => {
    const view = await loadView(context, sessionId);
    const { result, writes } = decide(view);
    const after = await written(context, sessionId, view, writes);
    return after && { result };
  }).then(({ result }) => result);
}

/** The same for the owner of a lease, who tries first on what its own last write left. */
export async function ownerDecided<Result>(
  given: Context,
  { views, untaken }: Held,
  lease: Lease,
  decide: (view: View) => Decision<Result>,
): Promise<Result> {
  if (untaken.get(lease)) {
    const { result, after } = await takeWith(given, untaken, lease, decide);
    views.keep(lease, after);
    return result;
  }
  const context = forOperation(given);
  const { sessionId } = lease;
  const { view: known, ticket } = views.take(lease);
  let first = known && attempt(decide, known);
  const { result, after } = await persistently("write", context.sleep, async () => {
    const view = first && known ? known : await loadView(context, sessionId);
    const { result, writes } = first ?? decide(view);
    first = undefined;
    const after = await written(context, sessionId, view, writes);
    return after && { result, after };
  });
  views.keep(lease, after, ticket);
  return result;
}

/** The session afterwards; null where it has changed since the view. */
export async function written(context: Context, sessionId: string, view: View, writes: Writes): Promise<View | null> {
  if (!writes.record) return view;
  const result = await write(context, { sessionId, view, writes, condition: hasRevision(view.rev) });
  return result instanceof Map ? null : result;
}

/** A refusal is believed only on what was read. */
function attempt<Result>(decide: (view: View) => Decision<Result>, view: View): Decision<Result> | undefined {
  try {
    return decide(view);
  } catch {
    return undefined;
  }
}
