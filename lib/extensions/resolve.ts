/** Which of a host's extensions bind a session. */
import type { AgentSpec, ExtensionOptions, Extensions } from "./types.js";

/**
 * @param run.workflow - the session's workflow
 * @param run.callers - slugs of the workflows whose calls led to it, outermost first; empty for a top-level session
 * @param run.root - the agent's own workflow, which the top-level `completion` is for; without one, every workflow that
 *   runs at the top level
 */
export function resolveExtensions(
  options: ExtensionOptions,
  run: { workflow: string; callers: readonly string[]; root?: string },
): Extensions {
  const { workflow, callers, root = callers[0] ?? workflow } = run;
  const agents = options.agents ?? {};
  const specOf = (slug: string): AgentSpec => (Object.hasOwn(agents, slug) ? (agents[slug] ?? {}) : {});
  const own = specOf(workflow);
  const completion = own.completion ?? (workflow === root ? options.completion : undefined);
  return {
    guardrails: [
      ...(options.guardrails ?? []),
      ...[...callers, workflow].flatMap((slug) => specOf(slug).guardrails ?? []),
    ],
    completion: completion ?? null,
    hooks: own.hooks ?? options.hooks ?? {},
    onMetric: own.onMetric ?? options.onMetric ?? null,
    ...(own.model !== undefined ? { model: own.model } : {}),
    middleware: options.middleware ?? [],
    limits: options.limits ?? {},
    compaction: options.compaction ?? null,
  };
}
