/** The context of one arrival's leg. */

import type { InheritedDenials } from "../kernel/types.js";
import { compileMachine } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import type { Arrival } from "../session/arrival.js";
import { CheckpointCorruptError, StoreUnavailableError } from "../session/errors.js";
import type { EventDraft } from "../session/events.js";
import type { FileStore, Lease, Work } from "../session/ports.js";
import type { WorkflowSpec } from "../spec/types.js";
import { createWorkspace, fileStoreBackend, isPathError } from "../workspace/index.js";
import { asStateFailed } from "./batch/plan.js";
import { createChildren } from "./delegation/children.js";
import { InvocationEndedError } from "./errors.js";
import { nextDispatchAfter } from "./journal.js";
import { Meter, usedBefore } from "./meter.js";
import { TurnMetrics } from "./metrics.js";
import { TurnRepl } from "./scripts/turn-repl.js";
import type { SessionWriter } from "./session-writer.js";
import type { Assembly, Host, LegOptions, Lineage, RunLeg, Turn } from "./types.js";

/** */
const DEFAULT_STEP_LIMIT = 400;

/** What only a session that moves between states has to tell (H-127). */
const STATE_EVENTS: ReadonlySet<EventDraft["type"]> = new Set([
  "state-enter",
  "state-leave",
  "advance",
  "workflow-reset",
]);

export async function createTurn(
  host: Host,
  given: {
    writer: SessionWriter;
    work: Work;
    lease: Lease;
    options: LegOptions;
    signal: AbortSignal;
    /** Aborts when the worker leaves: nothing goes on waiting for the leg's deadline then. */
    over: AbortSignal;
    runLeg: RunLeg;
    /** Of a child: which calls led to it, and what they deny. */
    caller?: { lineage: Omit<Lineage, "lease">; inherited: readonly InheritedDenials[]; meter: Meter };
  },
): Promise<Turn> {
  const { writer, work, lease, options, caller } = given;
  const { arrival } = work;
  const current = await host.assemblyFor(arrival.workflow, caller?.inherited);
  const machine = await machineInForce(host, current, writer, arrival);
  const assembly =
    machine === current.machine
      ? current
      : { ...current, machine, staticPrompt: await current.staticPromptOf(machine) };
  const sessionId = lease.sessionId;
  const files = ownersFiles(host, writer);
  const lineage: Lineage = {
    ...(caller?.lineage ?? { root: sessionId, dispatchId: null, chain: [machine.workflow] }),
    lease,
  };
  // A child ends with its caller, whose time is up then.
  const signal = caller ? given.signal : withDeadline(host, given, options.abortAt);
  let dispatched = 0;
  const turn: Turn = {
    sessionId,
    arrival,
    assembly,
    machine,
    host,
    writer,
    files,
    workspace: createWorkspace({
      area: fileStoreBackend(files, sessionId),
      mounts: assembly.mounts,
      mountFailed: (mount, error) => turn.emit({ type: "warning", scope: "mounts", message: failureOf(mount, error) }),
    }),
    signal,
    lineage,
    options,
    recursionLimit: options.recursionLimit ?? DEFAULT_STEP_LIMIT,
    meter: caller?.meter ?? new Meter(assembly.extensions.limits),
    attemptMark: lease.fence.toString(36),
    opening: { patches: [], events: [] },
    afterCommit: [],
    emit: (draft) => {
      if (machine.plain && STATE_EVENTS.has(draft.type)) return;
      host.emitter.emit(draft, sessionId, lineage.dispatchId ?? undefined);
      turn.metrics?.observe(draft);
    },
    metrics: null,
    tell: () => {
      for (const draft of turn.afterCommit.splice(0)) turn.emit(draft);
    },
    onStep: () => {},
    isEnding: () => options.drainAt !== undefined && host.clock.now() >= options.drainAt,
    nextDispatch: () => {
      dispatched = nextDispatchAfter(writer, Math.max(dispatched, writer.state.fields.dispatchCount ?? 0));
      return dispatched;
    },
    children: createChildren(signal),
    runLeg: given.runLeg,
    repl: new TurnRepl(assembly.sandbox),
    modelFor: async (role, state) => {
      const { model: asked } = arrival.input;
      // Asked for of the root alone: what reaches a child may be its caller's own input.
      if (asked !== undefined && role === "agent" && !caller) return assembly.models.override(asked);
      const own = role === "agent" ? assembly.extensions.model : undefined;
      const requested = machine.states.get(state)?.spec.model ?? own ?? machine.spec.settings?.model;
      return assembly.models.forCall(role, requested);
    },
  };
  if (assembly.extensions.onMetric) turn.metrics = new TurnMetrics(turn);
  turn.meter.opened(sessionId, writer.state.fields.arrivalId === arrival.id ? usedBefore(writer) : undefined);
  let open = writer.state.batch;
  writer.onStep = () => {
    if (open?.events && !writer.state.batch) {
      const events = open.events as unknown as EventDraft[];
      turn.afterCommit.unshift(
        ...(writer.state.fields.failure === undefined ? events : events.slice(-1).map(asStateFailed)),
      );
    }
    open = writer.state.batch;
    turn.tell();
    turn.onStep();
  };
  return turn;
}

/** S-52: a turn cut into several invocations goes on under the spec it opened with; anything else takes the current one. */
async function machineInForce(
  host: Host,
  assembly: Assembly,
  writer: SessionWriter,
  arrival: Arrival,
): Promise<Machine> {
  const { fields } = writer.state;
  const hash = fields.specHash;
  if (fields.arrivalId !== arrival.id || hash === undefined || hash === assembly.machine.specHash)
    return assembly.machine;
  const key = `_specs/${hash}.json`;
  const bytes = await host.files.readShared(key).catch((error: unknown) => {
    throw new StoreUnavailableError("read the spec that the turn runs under", String(error), { cause: error });
  });
  if (bytes === null) {
    throw new CheckpointCorruptError(arrival.sessionId, key, "the spec this turn runs under is missing");
  }
  const spec = JSON.parse(new TextDecoder().decode(bytes)) as WorkflowSpec;
  return compileMachine({ spec, stateOrder: Object.keys(spec.states), specHash: hash }, assembly.machine.workflow);
}

/**
 * The files as the session's owner writes them: a store that fails, or a file that somebody else has changed meanwhile,
 * ends the owner and is never an answer to a tool call (S-27, S-94).
 */
function ownersFiles(host: Host, writer: SessionWriter): FileStore {
  const guard =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      writer.assertOwned();
      try {
        return await method(...args);
      } catch (error) {
        if (!isPathError(error)) writer.lose(error);
        throw error;
      }
    };
  const { files } = host;
  return {
    read: guard((...args) => files.read(...args)),
    write: guard((...args) => files.write(...args)),
    remove: guard((...args) => files.remove(...args)),
    list: guard((...args) => files.list(...args)),
    removeAll: guard((...args) => files.removeAll(...args)),
    readShared: guard((...args) => files.readShared(...args)),
    writeShared: guard((...args) => files.writeShared(...args)),
    listShared: guard((...args) => files.listShared(...args)),
    removeShared: guard((...args) => files.removeShared(...args)),
    ...(files.lacks ? { lacks: files.lacks } : {}),
  };
}

function failureOf(mount: string, error: unknown): string {
  return `The store of the mount "${mount}" failed: ${error instanceof Error ? error.message : String(error)}`;
}

function withDeadline(
  host: Host,
  { signal, over }: { signal: AbortSignal; over: AbortSignal },
  abortAt: number | undefined,
): AbortSignal {
  if (abortAt === undefined) return signal;
  const deadline = new AbortController();
  const ends = AbortSignal.any([signal, over]);
  void host.clock.sleep(Math.max(0, abortAt - host.clock.now()), ends).then(() => {
    if (!ends.aborted) deadline.abort(new InvocationEndedError());
  });
  return AbortSignal.any([signal, deadline.signal]);
}
