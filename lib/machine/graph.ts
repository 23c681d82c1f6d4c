/** The workflow as a graph: nodes and edges (H-108). */
import type { StateType } from "../spec/types.js";
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
