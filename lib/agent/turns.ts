/** An input on its way into a session: checked, accepted once, and seen through (S-1, H-65). */
import {
  acceptArrival,
  arrivalKey,
  checkModelId,
  type IntakeHost,
  parsedSessionId,
  prepareInput,
} from "../intake/index.js";
import type { ArrivalInput, ArrivalSource, Receipt } from "../session/arrival.js";
import type { Outcome } from "../session/outcome.js";
import type { Assembly, DriveGraph, Host } from "../turn/types.js";
import { seeThrough } from "./drive.js";
import type { Runtime } from "./runtime.js";
import type { AgentMembers, TurnConfig, TurnInput } from "./types.js";

export interface Turns {
  /** @throws the errors of H-129 before the session is touched, and what the turn itself threw */
  run(
    sessionId: string,
    given: { input: ArrivalInput; files?: TurnInput["files"] },
    config?: TurnConfig,
    drive?: DriveGraph,
  ): Promise<Outcome>;
  accept: AgentMembers["accept"];
}

/** @param about.assembly - as composed when the agent was made, by whose text inputs are checked that nobody waits for */
export function createTurns(
  runtime: Pick<Runtime, "workflows" | "watched" | "closing">,
  ports: { host: Host; intake: IntakeHost },
  about: { workflow: string; assembly: Assembly },
): Turns {
  const { host, intake } = ports;
  const { workflow, assembly } = about;
  return {
    async run(id, given, config = {}, drive = undefined) {
      const { idempotencyKey: key, model, ...options } = config;
      const asked = model === undefined ? given : { ...given, input: { ...given.input, model } };
      options.signal?.throwIfAborted();
      runtime.closing.throwIfAborted();
      const sessionId = parsedSessionId(intake, id);
      const current = await runtime.workflows.current(workflow);
      // With a key it may be a repetition, whose answer the session's condition has no say in (S-3).
      const depth = key === undefined ? "session" : "shape";
      const arrival = arrivalKey({ source: "api", key });
      checkPerCallModel(current, asked.input);
      const input = await prepareInput(intake, current, { ...asked, key: arrival, sessionId }, { depth });
      const { receipt } = await acceptArrival(intake, arrival, { sessionId, workflow, input });
      return runtime.watched(seeThrough(host, receipt, drive ? { ...options, drive } : options));
    },
    async accept(
      id: string,
      given: ArrivalInput,
      { source = "api", key }: { source?: ArrivalSource; key?: string } = {},
    ): Promise<Receipt> {
      const sessionId = parsedSessionId(intake, id);
      const arrival = arrivalKey({ source, key });
      const incoming = { key: arrival, sessionId, input: given };
      checkPerCallModel(assembly, given);
      const input = await prepareInput(intake, assembly, incoming, { depth: "shape" });
      return (await acceptArrival(intake, arrival, { sessionId, workflow, input })).receipt;
    },
  };
}

/** A-32, before anything is accepted. @throws {TypeError} @throws {ModelOverrideUnsupportedError} */
function checkPerCallModel({ models }: Pick<Assembly, "models">, { model }: ArrivalInput): void {
  if (model === undefined) return;
  checkModelId(model);
  models.checkOverride(model);
}
