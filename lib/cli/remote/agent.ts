/** The commands' agent where the sessions are a deployed environment's (C-71). */
import { PATHS, type Problem } from "../../http/index.js";
import { ParkwayError } from "../../session/errors.js";
import type { EventHandler } from "../../session/events.js";
import type { Outcome, SessionSummary } from "../../session/outcome.js";
import type { TrailStep } from "../../session/state.js";
import type { CliAgent, Firing } from "../types.js";
import { type RemoteClient, RemoteProblemError } from "./client.js";

/** A turn that ended in an error there (N-9); `code` is its exit code (H-67). */
class RemoteTurnError extends ParkwayError {
  constructor(
    override readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

interface RemoteTurn {
  turnId: string;
  sessionId: string;
  status: "queued" | "running" | "settled" | "refused" | "error" | "superseded" | "dead";
  outcome?: Record<string, unknown>;
  exit?: { code: string; reason?: string };
  problem?: Problem;
}

const WAIT_SECONDS = 25;
const PAGE = "100";

export function createRemoteAgent(
  call: RemoteClient,
  { workflow, onEvent }: { workflow: string; onEvent?: EventHandler },
): CliAgent {
  const asked = (params: Record<string, string>, path: (typeof PATHS)[keyof typeof PATHS], body: object) =>
    call({ path, params, body: withoutAbsent(body) }) as Promise<unknown> as Promise<RemoteTurn>;
  const through = async (turn: RemoteTurn, signal?: AbortSignal) =>
    outcomeOf(call, await settled(call, turn, signal), onEvent);
  const get = async (id: string) => {
    try {
      return (await call({ path: PATHS.session, params: { id } })) as unknown as SessionSummary;
    } catch (error) {
      if (error instanceof RemoteProblemError && error.code === "not-found") return null;
      throw error;
    }
  };
  return {
    workflow: {
      name: workflow,
      async begin({ files, message, ...firing }: Firing) {
        const turn = await asked({ workflow }, PATHS.workflowSessions, {
          ...firing,
          message,
          files: files && Object.fromEntries(Object.entries(files).map(([name, file]) => [name, inlineFile(file)])),
        });
        return { sessionId: turn.sessionId, start: ({ signal }) => through(turn, signal) };
      },
      decide: async (id, { target, comment, park }, config) =>
        through(await asked({ id }, PATHS.sessionDecision, { target, comment, park }), config?.signal),
      reply: async (id, message, config) =>
        through(await asked({ id }, PATHS.sessionReplies, { message }), config?.signal),
      deliver: async (id, { trigger, variables, message }, config) =>
        through(await asked({ id }, PATHS.sessionDeliveries, { trigger, variables, message }), config?.signal),
    },
    sessions: {
      get,
      async list(filter) {
        const rows: SessionSummary[] = [];
        for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
          const query = withoutAbsent({ workflow: filter?.workflow, limit: PAGE, cursor }) as Record<string, string>;
          const page = (await call({ path: PATHS.sessions, query })) as {
            items?: SessionSummary[];
            nextCursor?: string;
          };
          rows.push(...(page.items ?? []));
          cursor = page.nextCursor;
        }
        return rows;
      },
    },
    wake: () => Promise.reject(new ParkwayError("A deployed environment wakes its sessions itself.")),
    close: async () => {},
  };
}

/** Waits until the turn has ended; on abort it is told to stop there. @throws the signal's reason */
async function settled(call: RemoteClient, turn: RemoteTurn, signal?: AbortSignal): Promise<RemoteTurn> {
  const params = { turnId: turn.turnId };
  let seen = turn;
  try {
    while (seen.status === "queued" || seen.status === "running") {
      seen = (await call({ path: PATHS.turn, params, wait: WAIT_SECONDS, signal })) as unknown as RemoteTurn;
    }
    return seen;
  } catch (error) {
    if (signal?.aborted) await call({ path: PATHS.turnCancel, params, body: {} }).catch(() => {});
    throw error;
  }
}

async function outcomeOf(call: RemoteClient, turn: RemoteTurn, onEvent?: EventHandler): Promise<Outcome> {
  if (turn.problem) throw new RemoteProblemError(turn.problem);
  if (turn.status === "error")
    throw new RemoteTurnError(turn.exit?.code ?? "turn-error", turn.exit?.reason ?? "The turn failed.");
  if (!turn.outcome) throw new RemoteTurnError(turn.status, `The input ended as ${turn.status}.`);
  if (onEvent) tellSteps(trailOf(turn.outcome), turn.sessionId, onEvent);
  const query = { include: "trail,messages" };
  const { outcome } = (await call({
    path: PATHS.turn,
    params: { turnId: turn.turnId },
    query,
  })) as unknown as RemoteTurn;
  const whole = outcome ?? turn.outcome;
  return { messages: [], ...whole, auditTrail: trailOf(whole) } as unknown as Outcome;
}

/** The state flow as the trail has it: the states that the turn went through, and why. */
function tellSteps(steps: readonly TrailStep[], sessionId: string, onEvent: EventHandler): void {
  for (const [index, { to, ts, reason, kind }] of steps.entries()) {
    if (kind === "sub-workflow") continue;
    const stamp = { level: "info", ts, sessionId } as const;
    const from = steps[index - 1]?.to;
    if (from !== undefined && kind !== "trigger") {
      onEvent({ type: "advance", from, to, ...(reason === undefined ? {} : { reason }), ...stamp, seq: index * 3 });
      onEvent({ type: "state-leave", state: from, next: to, ...stamp, seq: index * 3 + 1 });
    }
    onEvent({ type: "state-enter", state: to, ...stamp, seq: index * 3 + 2 });
  }
}

/** The API's times are ISO 8601, an outcome's are epoch milliseconds. */
function trailOf({ auditTrail }: Record<string, unknown>): TrailStep[] {
  const steps = (auditTrail ?? []) as (Omit<TrailStep, "ts"> & { ts: string })[];
  return steps.map((step) => ({ ...step, ts: Date.parse(step.ts) }));
}

function inlineFile({ name, content }: { name: string; content: Uint8Array }) {
  return { name, content: Buffer.from(content).toString("base64") };
}

function withoutAbsent(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
