/** The workflow's graph as it is written: `graph.json` (H-108, H-110). */
import { graphOf, renderMermaid } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import type { SerializedGraph } from "./types.js";

export function serializedGraph(machine: Machine): SerializedGraph {
  const { nodes, edges } = graphOf(machine);
  return {
    nodes: nodes.map(({ id }) => id),
    edges: edges.map(({ from, to, conditional, label }) => ({
      source: from,
      target: to,
      conditional,
      ...(label === undefined ? {} : { label }),
    })),
    entry: machine.defaultEntry,
    finals: [...machine.states.values()].filter(({ terminal }) => terminal).map(({ slug }) => slug),
    mermaid: renderMermaid(machine),
  };
}
