/** The static block: the same bytes in every call of a session under one spec (W-260…W-263, W-274…W-280, R-271). */
import type { Machine } from "../types.js";
import { stripComments } from "./markdown.js";
import { byName, mountLine, type PromptMount } from "./mount.js";
import { applyTopLevelOnly, BUILTIN_PLATFORM_PROMPT } from "./platform.js";

export interface StaticPromptInput {
  machine: Machine;
  /** A delegated child's prompt. */
  child: boolean;
  /** The resolved mount table, in any order. */
  mounts: readonly PromptMount[];
  /** Text of `AGENTS.md`. */
  agentsMd?: string | null;
  /** The host's own prompt text. */
  hostPrompt?: string | null;
  /** Text of `.platform/system/GRAPH_STATE.md`, which replaces the built-in platform prompt when it is not blank. */
  platformOverride?: string | null;
  /** Text of `WORKFLOW.md`. */
  workflowMd?: string | null;
  /** What tools say about themselves in general. */
  toolGuidance?: string | null;
}

/** A plain agent's has neither the platform's part nor a workflow's (H-127). */
export function renderStaticPrompt(input: StaticPromptInput): string {
  const platform = input.platformOverride?.trim() || BUILTIN_PLATFORM_PROMPT;
  const { plain } = input.machine;
  return [
    input.agentsMd,
    input.hostPrompt,
    plain ? null : applyTopLevelOnly(platform, { child: input.child }),
    workspaceSection(input.mounts, plain === true),
    plain ? null : workflowHeader(input.machine),
    stripComments(input.workflowMd ?? ""),
    input.toolGuidance,
  ]
    .map((layer) => layer?.trim() ?? "")
    .filter((layer) => layer !== "")
    .join("\n\n");
}

/** W-263. */
function workspaceSection(mounts: readonly PromptMount[], plain: boolean): string {
  const listed = mounts.filter(({ name, governed }) => (plain || !governed) && !name.startsWith(".")).sort(byName);
  const lines = [
    "- `scratchpad/` (read/write): your working files",
    "- `large_tool_results/` (read-only): tool results that were too long to show",
    "- `conversation_history/` (read-only): earlier parts of this conversation, when they were put aside",
    ...listed.map(mountLine),
  ];
  const governed =
    !plain && mounts.some((mount) => mount.governed)
      ? ["Some further mounts depend on the state; those reachable in a state are listed with it."]
      : [];
  return [
    "## Workspace",
    "Paths begin at the root of this session's own files, without a leading slash.",
    lines.join("\n"),
    ...governed,
  ].join("\n\n");
}

/** W-262. */
function workflowHeader({ spec }: Machine): string {
  const title = spec.title?.trim() ?? "";
  const instructions = spec.instructions?.trim() ?? "";
  const heading = title === "" ? "# Workflow" : `# Workflow: ${title}`;
  return instructions === "" ? heading : `${heading}\n\n## Instructions\n\n${instructions}`;
}
