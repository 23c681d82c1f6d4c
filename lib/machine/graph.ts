/** The workflow as a graph: nodes and edges (H-108). */
import { workflowSlugFromToolName } from "../spec/index.js";
import type { StateType, ToolEntry } from "../spec/types.js";
import type { Machine } from "./types.js";

export const START_NODE = "__start__";

export interface GraphNode {
  id: string;
  /** Absent on the start node. */
  type?: StateType;
  title?: string;
  terminal?: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  kind: "trigger" | "transition" | "on_error";
  /** Trigger and error edges are taken only when something happens. */
  conditional: boolean;
  label?: string;
}

export interface WorkflowGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export function graphOf(machine: Machine): WorkflowGraph {
  const states = [...machine.states.values()];
  const nodes: GraphNode[] = [
    { id: START_NODE },
    ...states.map(({ slug, type, terminal, spec }) => ({
      id: slug,
      type,
      ...(spec.title === undefined ? {} : { title: spec.title }),
      terminal,
    })),
  ];
  const edges: GraphEdge[] = [
    ...[...machine.triggers.values()].map(({ id, state }) => ({
      from: START_NODE,
      to: state,
      kind: "trigger" as const,
      conditional: true,
      label: id,
    })),
    ...states.flatMap((state): GraphEdge[] => [
      ...state.transitions.map(({ to, description }) => ({
        from: state.slug,
        to,
        kind: "transition" as const,
        conditional: false,
        ...(description?.trim() ? { label: description.trim() } : {}),
      })),
      ...(state.spec.on_error === undefined
        ? []
        : [
            {
              from: state.slug,
              to: state.spec.on_error,
              kind: "on_error" as const,
              conditional: true,
              label: "on_error",
            },
          ]),
    ]),
  ];
  return { nodes, edges };
}

/** Slugs of the workflows the state's tools offer: what is granted there, less what a bare denial takes away (W-207). */
export function calledWorkflows(machine: Machine, slug: string): string[] {
  const state = machine.states.get(slug);
  // A person's state calls nothing.
  if (state === undefined || state.type === "human") return [];
  const { tools } = machine.spec;
  const denied = [...(tools?.forbid_always ?? []), ...(state.spec.tools?.forbid ?? [])].filter(isBare).map(toolOf);
  const granted = [...(tools?.allow_always ?? []), ...(state.spec.tools?.allow ?? [])].map(toolOf);
  const offered = denied.includes("*") ? [] : granted.filter((tool) => !denied.includes(tool));
  return [...new Set(offered.map(workflowSlugFromToolName).filter((target) => target !== null))];
}

function toolOf(entry: ToolEntry): string {
  return typeof entry === "string" ? entry : entry.tool;
}

function isBare(entry: ToolEntry): boolean {
  return typeof entry === "string" || (entry.args === undefined && entry.paths === undefined);
}
