/** The workflow as a picture: nodes, edges and mermaid text (H-108). */
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
  /** `graph.mmd`. */
  mermaid: string;
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
  return { nodes, edges, mermaid: mermaidOf(nodes, edges) };
}

/** Nodes are numbered, since a slug may be a word that mermaid reserves (`end`) or hold any character. */
function mermaidOf(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): string {
  const ids = new Map(nodes.map((node, index) => [node.id, `n${index}`]));
  const lines = nodes.map((node) => `  ${ids.get(node.id)}${shape(node)}`);
  for (const edge of edges) {
    const from = ids.get(edge.from);
    const to = ids.get(edge.to);
    if (from === undefined || to === undefined) continue;
    const arrow = edge.conditional ? "-.->" : "-->";
    lines.push(`  ${from} ${arrow}${edge.label === undefined ? "" : `|${quoted(edge.label)}|`} ${to}`);
  }
  return ["flowchart TD", ...lines, ""].join("\n");
}

function shape(node: GraphNode): string {
  const label = quoted(node.id);
  switch (node.type) {
    case undefined:
      return `((${label}))`;
    case "human":
      return `{{${label}}}`;
    case "grader":
      return `([${label}])`;
    case "code":
      return `[[${label}]]`;
    case "agent":
      return `[${label}]`;
  }
}

/** In double quotes; what mermaid would read as markup becomes an entity, and line breaks fold. */
function quoted(text: string): string {
  const folded = text.replace(/\s+/g, " ").trim();
  const escaped = folded.replace(/[^\p{L}\p{N} .,:!?'()/+=_-]/gu, (char) => `#${char.codePointAt(0)};`);
  return `"${escaped}"`;
}
