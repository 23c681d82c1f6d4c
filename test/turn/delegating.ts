/** Workflows that call each other, each with a model of its own whose answers are given by its name. */
import type { RecordedRequest, ServerReply } from "../model-server/index.js";

/** What each model answers, in order; the agent's own, and that of workflows without one, is `test-model`. */
export type Scripts = Record<string, readonly ServerReply[]>;

/** An answer by the model that is asked; one that has nothing left to say fails the request. */
export function byModel(scripts: Scripts): (request: RecordedRequest) => ServerReply {
  const left = new Map(Object.entries(scripts).map(([model, replies]) => [model, [...replies]]));
  return ({ body }) => {
    const reply = left.get(body.model)?.shift();
    if (!reply) throw new Error(`The model ${body.model} has nothing left to say.`);
    return reply;
  };
}

/** A workflow's file under its slug. */
export function workflow(slug: string, spec: string): Record<string, string> {
  return { [`workflows/${slug}/workflow.yaml`]: spec };
}

/** An agent workflow whose only state may call these workflows. */
export function caller(...targets: string[]): string {
  return `
states:
  desk:
    instructions: Have others work.
    tools: { allow: [${targets.map((target) => `archmax_workflow_${target}`).join(", ")}] }
    triggers: { manual: }
`;
}

/** A workflow for `model`, with one agent state and the trigger `manual` as given. */
export function worker(model: string, manual = "", more = ""): string {
  return `
title: Work of ${model}
settings: { model: ${model} }
${more}
states:
  work:
    instructions: Secret instructions of ${model}.
    triggers: { manual: ${manual} }
`;
}
