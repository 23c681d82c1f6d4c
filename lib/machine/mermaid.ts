/** The workflow as a mermaid flowchart: `graph.mmd` (H-108). */
import { calledWorkflows, type GraphNode, graphOf } from "./graph.js";
import type { Machine } from "./types.js";

/**
 * Every state in the shape of its type, an edge for each trigger (dashed, from the start), transition (solid, with its
 * description) and error route (dashed). A state that may call sub-workflows names them in a second line. The same
 * machine gives the same text, which ends in a line break and parses whatever the document says.
 */
export function renderMermaid(machine: Machine): string {
  const { nodes, edges } = graphOf(machine);
  const ids = new Map(nodes.map((node, index) => [node.id, `n${index}`]));
  const lines = nodes.map((node) => `  ${ids.get(node.id)}${shaped(node, labelOf(machine, node.id))}`);
  for (const edge of edges) {
    const from = ids.get(edge.from);
    const to = ids.get(edge.to);
    if (from === undefined || to === undefined) continue;
    const arrow = edge.conditional ? "-.->" : "-->";
    lines.push(`  ${from} ${arrow}${edge.label === undefined ? "" : `|"${escaped(edge.label)}"|`} ${to}`);
  }
  // Nodes are numbered, since a slug may be a word that mermaid reserves (`end`) or hold any character.
  return ["flowchart TD", ...lines, ""].join("\n");
}

function shaped(node: GraphNode, label: string): string {
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

function labelOf(machine: Machine, id: string): string {
  const called = calledWorkflows(machine, id);
  return called.length === 0 ? `"${escaped(id)}"` : `"${escaped(id)}<br/>calls ${escaped(called.join(", "))}"`;
}

/** For a place between double quotes: what mermaid would read as markup becomes an entity, and line breaks fold. */
function escaped(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(MARKUP, entities);
}

/** A label that opens like an item of a list would be one. */
const MARKUP = /^(?:[-+]|\d+[.)])|[^\p{L}\p{N} .,:!?'()/+=_-]/gu;

function entities(text: string): string {
  return text.replace(/\D/gu, (char) => `#${char.codePointAt(0)};`);
}
