/** Where everything of a workflow's picture stands. */
import { calledWorkflows, type GraphEdge, type GraphNode, graphOf, START_NODE } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import { textWidth, wrapped } from "./text.js";

export interface Point {
  x: number;
  y: number;
}

export interface Line {
  text: string;
  /** `name` in bold; `small` for what only explains it. */
  style: "name" | "text" | "small";
}

/** The centre and the size of a box, in pixels. */
export interface Box extends Point {
  width: number;
  height: number;
}

export interface PlacedNode extends Box {
  node: GraphNode;
  lines: Line[];
}

export interface PlacedEdge {
  edge: GraphEdge;
  /** From border to border. */
  points: Point[];
  /** Absent where the edge says nothing. */
  label?: Box & { lines: string[] };
}

export interface Layout {
  width: number;
  height: number;
  nodes: PlacedNode[];
  edges: PlacedEdge[];
}

export const FONT_SIZE = { name: 14, text: 12, small: 11, label: 11 } as const;
export const LINE_HEIGHT = 1.35;
/** Bold letters are wider. */
const WEIGHT = { name: 1.1, text: 1, small: 1 } as const;
const MARGIN = 16;
const START_SIZE = 22;
const NODE_TEXT_WIDTH = 190;
const EDGE_TEXT_WIDTH = 150;

/** The same machine is laid out in the same way every time. */
export async function layoutOf(machine: Machine): Promise<Layout> {
  const { Graph, layout } = await import("@dagrejs/dagre");
  const { nodes, edges } = graphOf(machine);
  const graph = new Graph({ directed: true, multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 44, edgesep: 22, ranksep: 46, marginx: MARGIN, marginy: MARGIN });

  const texts = new Map(nodes.map((node) => [node.id, linesOf(machine, node)]));
  for (const node of nodes) graph.setNode(node.id, sizeOf(node, texts.get(node.id) ?? []));
  const known = edges.filter(({ from, to }) => texts.has(from) && texts.has(to));
  const labels = known.map(labelOf);
  known.forEach(({ from, to, kind }, index) => {
    const { width = 0, height = 0 } = labels[index] ?? {};
    // Errors are the exception: they bend around what usually happens.
    graph.setEdge(from, to, { width, height, labelpos: "c", weight: kind === "on_error" ? 1 : 3 }, String(index));
  });
  layout(graph);

  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: nodes.map((node) => ({
      node,
      lines: texts.get(node.id) ?? [],
      ...(graph.node(node.id) as Box),
    })),
    edges: known.map((edge, index) => {
      const placed = graph.edge(edge.from, edge.to, String(index)) as Point & { points: Point[] };
      const label = labels[index];
      return {
        edge,
        points: placed.points,
        ...(label === undefined ? {} : { label: { ...label, x: placed.x, y: placed.y } }),
      };
    }),
  };
}

/** The slug, the title below it, and whom the state may call. */
function linesOf(machine: Machine, node: GraphNode): Line[] {
  if (node.id === START_NODE) return [];
  const called = calledWorkflows(machine, node.id);
  const part = (text: string, style: Line["style"], maxLines: number): Line[] =>
    wrapped(text, { fontSize: FONT_SIZE[style], maxWidth: NODE_TEXT_WIDTH, maxLines }).map((line) => ({
      text: line,
      style,
    }));
  return [
    ...part(node.id, "name", 3),
    ...(node.title?.trim() ? part(node.title, "text", 2) : []),
    ...(called.length > 0 ? part(`calls ${called.join(", ")}`, "small", 3) : []),
  ];
}

function sizeOf(node: GraphNode, lines: readonly Line[]): { width: number; height: number } {
  if (node.id === START_NODE) return { width: START_SIZE, height: START_SIZE };
  const text = Math.max(...lines.map(({ text, style }) => textWidth(text, FONT_SIZE[style]) * WEIGHT[style]), 60);
  const height = lines.reduce((sum, { style }) => sum + FONT_SIZE[style] * LINE_HEIGHT, 0) + 20;
  // The points of a hexagon, the round ends of a pill and the bars of a subroutine stand beside the text.
  const sides = { agent: 28, human: 28 + height / 2, grader: 28 + height / 2, code: 48 }[node.type ?? "agent"];
  return { width: Math.ceil(text + sides), height: Math.ceil(height) };
}

function labelOf({ label }: GraphEdge): { lines: string[]; width: number; height: number } | undefined {
  if (!label?.trim()) return undefined;
  const fontSize = FONT_SIZE.label;
  const lines = wrapped(label, { fontSize, maxWidth: EDGE_TEXT_WIDTH, maxLines: 3 });
  const width = Math.max(...lines.map((line) => textWidth(line, fontSize))) + 10;
  return { lines, width, height: Math.ceil(lines.length * fontSize * LINE_HEIGHT + 4) };
}
