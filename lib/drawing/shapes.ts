/** The outline of a node: each kind of state has its own (H-108). */
import type { Box, PlacedNode, Point } from "./layout.js";

/** Pixels between the outer and the inner line of a state where the work ends. */
const DOUBLE = 4;
/** Pixels between the edge of a code state's box and its bars. */
const BAR = 8;

/** SVG elements that draw the node around its centre; a state without a way out has a second line inside. */
export function outlineOf({ node, ...box }: PlacedNode): string {
  if (node.type === undefined) return `<circle cx="${px(box.x)}" cy="${px(box.y)}" r="${px(box.width / 2)}"/>`;
  const shape = SHAPES[node.type];
  if (!node.terminal) return shape(box);
  const frame = node.type === "code" ? rectangle(box, 0) : shape(box);
  return `${frame}${shape({ ...box, width: box.width - 2 * DOUBLE, height: box.height - 2 * DOUBLE })}`;
}

const SHAPES = {
  agent: (box: Box) => rectangle(box, 4),
  grader: (box: Box) => rectangle(box, box.height / 2),
  human: (box: Box) => polygon(hexagon(box)),
  code: (box: Box) => {
    const bars = [-1, 1].map((side) => {
      const x = px(box.x + side * (box.width / 2 - BAR));
      return `<line x1="${x}" y1="${px(box.y - box.height / 2)}" x2="${x}" y2="${px(box.y + box.height / 2)}"/>`;
    });
    return `${rectangle(box, 0)}${bars.join("")}`;
  },
};

function rectangle({ x, y, width, height }: Box, radius: number): string {
  const at = `x="${px(x - width / 2)}" y="${px(y - height / 2)}"`;
  return `<rect ${at} width="${px(width)}" height="${px(height)}"${radius > 0 ? ` rx="${px(radius)}"` : ""}/>`;
}

function hexagon({ x, y, width, height }: Box): Point[] {
  const side = height / 4;
  const [left, right, top, bottom] = [x - width / 2, x + width / 2, y - height / 2, y + height / 2];
  return [
    { x: left, y },
    { x: left + side, y: top },
    { x: right - side, y: top },
    { x: right, y },
    { x: right - side, y: bottom },
    { x: left + side, y: bottom },
  ];
}

function polygon(points: readonly Point[]): string {
  return `<polygon points="${points.map(({ x, y }) => `${px(x)},${px(y)}`).join(" ")}"/>`;
}

/** A curve through the middle of each stretch, so that a bend is round and both ends are straight. */
export function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const parts = [`M${px(first.x)},${px(first.y)}`];
  let from = first;
  rest.forEach((to, index) => {
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    if (index === 0) parts.push(`L${px(middle.x)},${px(middle.y)}`);
    else parts.push(`Q${px(from.x)},${px(from.y)} ${px(middle.x)},${px(middle.y)}`);
    from = to;
  });
  parts.push(`L${px(from.x)},${px(from.y)}`);
  return parts.join(" ");
}

/** One decimal is finer than a screen shows, and the same on every machine. */
export function px(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  return String(Object.is(rounded, -0) ? 0 : rounded);
}
