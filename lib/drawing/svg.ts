/** The workflow as a picture that stands by itself: `parkway graph <workflow> --svg` (C-74, H-108). */
import type { Machine } from "../machine/types.js";
import { FONT_SIZE, type Layout, LINE_HEIGHT, layoutOf, type PlacedEdge, type PlacedNode } from "./layout.js";
import { curveThrough, outlineOf, px } from "./shapes.js";
import { escapedXml } from "./text.js";

/**
 * An SVG of the machine's graph (H-108): each state in the shape of its type with its slug, title and the workflows it
 * may call, a second line around those that end the work; triggers dashed from the start, error routes dashed and
 * red, descriptions on the transitions, whole in the tooltip where they are cut. Colours follow the reader's light or
 * dark setting. It loads nothing, holds no script, and the same machine gives the same text.
 */
export async function renderSvg(machine: Machine): Promise<string> {
  const layout = await layoutOf(machine);
  const { width, height } = layout;
  const title = machine.spec.title?.trim() || machine.workflow;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapedXml(title)}">`,
    `<title>${escapedXml(title)}</title>`,
    `<style>${STYLE}</style>`,
    MARKERS,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...layout.edges.map(edgeLine),
    ...layout.nodes.map(nodeElement),
    // Above every line, so that none crosses a word.
    ...layout.edges.flatMap(edgeLabel),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

function edgeLine({ edge, points }: Layout["edges"][number]): string {
  return `<path class="edge ${edge.kind}" d="${curveThrough(points)}" marker-end="url(#${edge.kind === "on_error" ? "error-arrow" : "arrow"})"/>`;
}

function edgeLabel({ edge, label }: PlacedEdge): string[] {
  if (label === undefined) return [];
  const { x, y, width, height, lines } = label;
  const box = `<rect x="${px(x - width / 2)}" y="${px(y - height / 2)}" width="${px(width)}" height="${px(height)}" rx="3"/>`;
  const text = textLines(
    x,
    y,
    lines.map((line) => ({ text: line, size: FONT_SIZE.label })),
  );
  return [`<g class="label ${edge.kind}"><title>${escapedXml(edge.label ?? "")}</title>${box}${text}</g>`];
}

function nodeElement(placed: PlacedNode): string {
  const { node, lines, x, y } = placed;
  const text = textLines(
    x,
    y,
    lines.map((line) => ({ text: line.text, size: FONT_SIZE[line.style], className: line.style })),
  );
  const tip = [node.id, node.title?.trim(), node.type].filter(Boolean).join(" · ");
  return `<g class="node ${node.type ?? "start"}"><title>${escapedXml(tip)}</title>${outlineOf(placed)}${text}</g>`;
}

/** The lines one below the other, centred on a point. */
function textLines(x: number, y: number, lines: readonly { text: string; size: number; className?: string }[]): string {
  let top = y - lines.reduce((sum, { size }) => sum + size * LINE_HEIGHT, 0) / 2;
  return lines
    .map(({ text, size, className }) => {
      const height = size * LINE_HEIGHT;
      // Where letters without descenders look centred between the line's top and bottom.
      const baseline = top + height / 2 + size * 0.35;
      top += height;
      const style = className === undefined ? "" : ` class="${className}"`;
      return `<text${style} x="${px(x)}" y="${px(baseline)}" font-size="${size}">${escapedXml(text)}</text>`;
    })
    .join("");
}

const MARKERS = `<defs>${["arrow", "error-arrow"]
  .map(
    (id) =>
      `<marker id="${id}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="${id}" d="M0,0.8 L10,5 L0,9.2 z"/></marker>`,
  )
  .join("")}</defs>`;

interface Palette {
  paper: string;
  ink: string;
  faint: string;
  line: string;
  error: string;
  agent: string;
  human: string;
  grader: string;
  code: string;
}

const LIGHT: Palette = {
  paper: "#ffffff",
  ink: "#1c2430",
  faint: "#55606e",
  line: "#64707f",
  error: "#b3261e",
  agent: "#e3eefc",
  human: "#fdf0d0",
  grader: "#ece6fa",
  code: "#e4f3e6",
};
const DARK: Palette = {
  paper: "#161b22",
  ink: "#e8edf3",
  faint: "#aab4c0",
  line: "#8c98a6",
  error: "#ff8a80",
  agent: "#1d3557",
  human: "#4d3b10",
  grader: "#3a2d5c",
  code: "#1e4027",
};

function rulesOf(palette: Palette): string {
  const { paper, ink, faint, line, error } = palette;
  const fills = (["agent", "human", "grader", "code"] as const).map((kind) => `.${kind}{fill:${palette[kind]}}`);
  return [
    `.paper,.label rect{fill:${paper}}`,
    `text{fill:${ink}}`,
    `.text,.small,.label text{fill:${faint}}`,
    `.node{stroke:${line}}`,
    ...fills,
    `.start,.arrow{fill:${line}}`,
    `.edge{stroke:${line}}`,
    `.edge.on_error{stroke:${error}}`,
    `.error-arrow,.label.on_error text{fill:${error}}`,
  ].join("");
}

const STYLE = [
  'text{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;text-anchor:middle;stroke:none}',
  ".name{font-weight:600}.edge{fill:none;stroke-width:1.4}.node{stroke-width:1.4}.trigger,.on_error{stroke-dasharray:5 4}.label rect{stroke:none}",
  rulesOf(LIGHT),
  `@media (prefers-color-scheme:dark){${rulesOf(DARK)}}`,
].join("");
