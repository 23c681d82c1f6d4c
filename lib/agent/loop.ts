/** The runs of one session as a loop that is watched (A-34…A-37): a view of this process, whose durable record is the session. */
import { type IntakeHost, loadSession, parsedSessionId } from "../intake/index.js";
import { modelCallsOf } from "../session/attempts.js";
import { emptyState } from "../session/fold.js";
import type { Outcome } from "../session/outcome.js";
import type { SessionState } from "../session/state.js";
import { LoopRunningError } from "./errors.js";
import { loopStatusOf, stoppedBy } from "./loop-status.js";
import type { AgentWorkflow, Loop, LoopRun, LoopRunOptions } from "./types.js";

/** @throws {SessionStoreIdError} */
export function createLoop(send: AgentWorkflow["send"], intake: IntakeHost, id: string): Loop {
  const sessionId = parsedSessionId(intake, id);
  const seen: { -readonly [Key in Exclude<keyof Loop, "run">]: Loop[Key] } = {
    status: "idle",
    turns: 0,
    attempts: 0,
    lastOutcome: undefined,
  };
  /** A store that fails here does not undo a run: it is counted as far as it is known. */
  const stateNow = async (): Promise<SessionState> =>
    (await loadSession(intake, sessionId).catch(() => null))?.state ?? emptyState();

  /** Counts the leg that has just ended. An input that was refused has had none. */
  async function account(before: SessionState): Promise<number> {
    const now = await stateNow();
    if (now.fields.arrivalId === before.fields.arrivalId) return 0;
    const made = modelCallsOf(now);
    seen.turns += made;
    seen.attempts = attemptsIn(now);
    return made;
  }

  async function run(message: string, options: LoopRunOptions = {}): Promise<LoopRun> {
    if (seen.status === "running") throw new LoopRunningError(sessionId);
    seen.status = "running";
    const { variables, trigger, model, signal } = options;
    const input = { message, ...(variables ? { variables } : {}), ...(trigger ? { trigger } : {}) };
    const before = await stateNow();
    let result: Outcome;
    try {
      result = await send(sessionId, input, {
        ...(model !== undefined ? { model } : {}),
        ...(signal ? { signal } : {}),
      });
    } catch (error) {
      await account(before);
      seen.status = "error";
      throw error;
    }
    const turns = await account(before);
    const status = loopStatusOf(result);
    seen.lastOutcome = result;
    seen.status = status === "done" ? "idle" : status;
    const stopped = status === "done" ? {} : { stoppedBy: stoppedBy(result) };
    return { text: result.reply, status, ...stopped, attempts: seen.attempts, turns, result };
  }

  return unsettable({
    get status() {
      return seen.status;
    },
    get turns() {
      return seen.turns;
    },
    get attempts() {
      return seen.attempts;
    },
    get lastOutcome() {
      return seen.lastOutcome;
    },
    run,
  });
}

/** Of a run that its gate gave up, those that failed; else the one under way besides. None where no turn was opened. */
function attemptsIn({ fields, trail }: SessionState): number {
  const { run, legTrail, disposition, limit } = fields;
  if (disposition === "turn" && trail.length === legTrail) return 0;
  const failed = run?.failed ?? 0;
  return limit === "completion" ? failed : failed + 1;
}

/** also where the caller's code is not strict, in which setting a read-only property does nothing. */
function unsettable(view: Loop): Loop {
  const refuse = (_view: Loop, property: string | symbol): never => {
    throw new TypeError(`A loop is looked at and not configured: "${String(property)}" cannot be set.`);
  };
  return new Proxy(Object.freeze(view), { set: refuse, defineProperty: refuse, deleteProperty: refuse });
}
