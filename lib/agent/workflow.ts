/** `agent.workflow`: the turns of a workflow's sessions (H-55…H-66). */
import { firingInput, type IntakeHost, resolveSession } from "../intake/index.js";
import { UnknownTriggerError } from "../session/errors.js";
import type { Assembly } from "../turn/types.js";
import { createLoop } from "./loop.js";
import { checkSessionPath } from "./options.js";
import type { Turns } from "./turns.js";
import type { AgentWorkflow, DecisionInput, DeliveryInput, TurnConfig } from "./types.js";

export function createAgentWorkflow(
  { run }: Turns,
  intake: IntakeHost,
  about: { workflow: string; assembly: Assembly; current(): Promise<Assembly>; sessionPath?: string },
): AgentWorkflow {
  const { workflow, assembly, sessionPath } = about;
  const decide = (sessionId: string, decision: DecisionInput, config?: TurnConfig) =>
    run(sessionId, { input: { kind: "decision", ...decision } }, config);
  const deliver = (sessionId: string, delivery: DeliveryInput, config?: TurnConfig) =>
    run(sessionId, { input: { ...delivery, kind: "delivery", trigger: delivery.trigger?.id ?? "" } }, config);
  const send: AgentWorkflow["send"] = async (sessionId, input, config) => {
    if ("decision" in input) return decide(sessionId, input.decision, config);
    if ("delivery" in input) return deliver(sessionId, input.delivery, config);
    const { files, trigger, sessionPath: path, ...said } = input;
    if (path !== undefined) checkSessionPath(path);
    return run(sessionId, { input: firingInput({ ...said, trigger: trigger?.id }), files }, config);
  };
  return {
    name: workflow,
    machine: assembly.machine,
    resolveTrigger(id = assembly.defaultTrigger) {
      const declared = assembly.machine.triggers.get(id);
      if (!declared) throw new UnknownTriggerError(id, [...assembly.machine.triggers.keys()]);
      return { id, state: declared.state };
    },
    send,
    decide,
    reply: (sessionId, message, config) => run(sessionId, { input: { kind: "reply", message } }, config),
    deliver,
    loop: (sessionId) => createLoop(send, intake, sessionId),
    resolveSession: async (firing) =>
      resolveSession(intake, await about.current(), {
        ...firing,
        ...(sessionPath ? { assemblyPath: sessionPath } : {}),
      }),
  };
}
