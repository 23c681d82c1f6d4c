/** Where authored and stored things lie, and how a workflow is named as a tool. No other code spells these (H-6). */

/** W-99: the one reserved trigger id. */
export const MANUAL_TRIGGER = "manual";

/** The trigger of a turn that names none (H-32). */
export const DEFAULT_TRIGGER_ID = MANUAL_TRIGGER;

/** The workflow that governs an agent whose assembly names none, where its spec file exists (H-25). */
export const DEFAULT_WORKFLOW = "order-lookup";

/** How the name of a delegation tool begins: everything after it is the target's slug (W-241). */
export const WORKFLOW_TOOL_PREFIX = "archmax_workflow_";

/** The tool whose call delegates to a workflow, `archmax_workflow_<slug>` (H-6). */
export function workflowToolName(slug: string): string {
  return WORKFLOW_TOOL_PREFIX + slug;
}

/** The slug a delegation tool names, or null for any other tool's name. */
export function workflowSlugFromToolName(name: string): string | null {
  return name.startsWith(WORKFLOW_TOOL_PREFIX) ? name.slice(WORKFLOW_TOOL_PREFIX.length) : null;
}

/** Workspace-relative paths of one workflow (W-6, section 22). */
export function workflowPaths(slug: string) {
  const root = `workflows/${slug}`;
  return {
    root,
    spec: `${root}/workflow.yaml`,
    prose: `${root}/WORKFLOW.md`,
    scripts: `${root}/scripts`,
    tests: `${root}/tests`,
  };
}

/** Store addresses of one session's areas (H-89). */
export function sessionPaths(id: string) {
  return {
    root: id,
    scratchpad: `${id}/scratchpad`,
    attachments: `${id}/scratchpad/attachments`,
    largeToolResults: `${id}/large_tool_results`,
    conversationHistory: `${id}/conversation_history`,
    checkpoints: `${id}/checkpoints`,
    artifacts: `${id}/artifacts`,
  };
}

/** Store addresses of a session's run artifacts (H-107). */
export function runArtifactPaths(id: string) {
  const dir = sessionPaths(id).artifacts;
  return {
    dir,
    metadata: `${dir}/metadata.json`,
    variables: `${dir}/variables.json`,
    trail: `${dir}/trail.json`,
    trajectory: `${dir}/trajectory.json`,
    graph: `${dir}/graph.json`,
    mermaid: `${dir}/graph.mmd`,
  };
}

/** Store address of a spec's hashed document, shared by all sessions (W-52). */
export function specPath(hash: string): string {
  return `_specs/${hash}.json`;
}
