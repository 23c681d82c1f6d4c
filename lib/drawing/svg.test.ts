import { describe, expect, it } from "vitest";
import { aMachine } from "../machine/testing.js";
import { renderSvg } from "./index.js";
import { layoutOf } from "./layout.js";

const DESK = aMachine(
  {
    intake: {
      title: "Read the request",
      triggers: { manual: {}, mail: {} },
      tools: { allow: ["archmax_workflow_lookup"] },
      on_error: "review",
      transitions: [{ to: "grade", description: "It is complete." }, { to: "intake" }],
    },
    grade: {
      type: "grader",
      transitions: [
        { to: "end", description: "Good." },
        { to: "intake", description: "Not yet." },
      ],
    },
    review: { type: "human", transitions: [{ to: "end", description: "Fine." }] },
    end: { type: "code", script: "scripts/end.js" },
  },
  { title: "Desk" },
);

/** The element of a state: from its opening to its closing tag. */
function nodeOf(svg: string, slug: string): string {
  const node = svg.split("\n").find((line) => line.startsWith('<g class="node') && line.includes(`>${slug}</text>`));
  if (node === undefined) throw new Error(`no node ${slug}`);
  return node;
}

function oneEdge(description: string): ReturnType<typeof aMachine> {
  return aMachine({ a: { triggers: { manual: {} }, transitions: [{ to: "b", description }] }, b: {} });
}

/** Every tag closed in order, and no bare markup in texts and values. */
function expectWellFormed(svg: string): void {
  const open: string[] = [];
  const rest = svg.replace(/<(\/?)([a-z]+)((?:\s[\w:-]+="[^"<]*")*)(\/?)>/gi, (_tag, end, name, _values, empty) => {
    if (end) expect(open.pop()).toBe(name);
    else if (!empty) open.push(name);
    return "";
  });
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
}

describe("renderSvg", () => {
  it("C-74 H-108 draws each state in the shape of its type, with slug, title and what it may call", async () => {
    const svg = await renderSvg(DESK);

    expectWellFormed(svg);
    expect(nodeOf(svg, "intake")).toMatch(/class="node agent".*<rect [^>]*rx="4"/);
    expect(nodeOf(svg, "intake")).toContain(">Read the request</text>");
    expect(nodeOf(svg, "intake")).toContain(">calls lookup</text>");
    expect(nodeOf(svg, "grade")).toMatch(/class="node grader".*<rect [^>]*height="(\d+)" rx="/);
    expect(nodeOf(svg, "review")).toMatch(/class="node human".*<polygon /);
    expect(nodeOf(svg, "end")).toMatch(/class="node code".*<line .*<line /);
    // Only the state without a way out is framed.
    expect(nodeOf(svg, "end").match(/<rect/g)).toHaveLength(2);
    expect(nodeOf(svg, "grade").match(/<rect/g)).toHaveLength(1);
    expect(svg).toContain('<g class="node start">');
  });

  it("C-74 H-108 draws every trigger, transition and error route, what only may happen dashed", async () => {
    const svg = await renderSvg(DESK);

    const count = (kind: string) => svg.match(new RegExp(`class="edge ${kind}"`, "g"))?.length;
    expect([count("trigger"), count("transition"), count("on_error")]).toEqual([2, 5, 1]);
    expect(svg).toMatch(/\.trigger,\.on_error\{stroke-dasharray/);
    for (const label of ["manual", "mail", "It is complete.", "Good.", "on_error"]) {
      expect(svg).toContain(`>${label}</text>`);
    }
  });

  it.each([
    ["markup", `</text><script>alert("1")</script> & 'so on'`, "&lt;/text&gt;"],
    ["what XML has no place for", "a\u0000b\u0008c\ud800d\uffffe", "abcde"],
    ["an entity that is written out", "&lt;", "&amp;lt;"],
  ])("C-74 takes %s as text", async (_what, description, shown) => {
    const svg = await renderSvg(oneEdge(description));

    expectWellFormed(svg);
    expect(svg).toContain(shown);
    expect(svg).not.toContain("<script");
  });

  it("C-74 cuts a long description to three lines and keeps it whole in the tooltip", async () => {
    const long =
      "The customer says that the invoice was paid long ago and sends the receipt along, which the bank confirms.";
    const svg = await renderSvg(oneEdge(`${long} ${"w".repeat(80)}`));

    const label = svg.split("\n").find((line) => line.includes('<g class="label transition'))!;
    expect(label).toContain(`<title>${long}`);
    expect(label.match(/<text/g)).toHaveLength(3);
    expect(label).toMatch(/…<\/text><\/g>$/);
  });

  it("C-74 gives the same text for the same machine, whatever was drawn in between", async () => {
    const first = await renderSvg(DESK);
    await renderSvg(oneEdge("Another."));

    expect(await renderSvg(DESK)).toBe(first);
  });

  it("C-74 keeps boxes apart and inside the picture", async () => {
    const { nodes, edges, width, height } = await layoutOf(DESK);

    const boxes = [...nodes, ...edges.flatMap(({ label }) => label ?? [])];
    for (const [index, a] of boxes.entries()) {
      expect(a.x - a.width / 2).toBeGreaterThanOrEqual(0);
      expect(a.x + a.width / 2).toBeLessThanOrEqual(width);
      expect(a.y - a.height / 2).toBeGreaterThanOrEqual(0);
      expect(a.y + a.height / 2).toBeLessThanOrEqual(height);
      for (const b of boxes.slice(index + 1)) {
        const apart =
          Math.abs(a.x - b.x) >= (a.width + b.width) / 2 || Math.abs(a.y - b.y) >= (a.height + b.height) / 2;
        expect(apart).toBe(true);
      }
    }
  });

  it.each([
    ["light", (style: string) => style.split("@media")[0]!],
    ["dark", (style: string) => style.split("prefers-color-scheme:dark")[1]!],
  ])("C-74 words can be read on their ground, in %s", async (_scheme, part) => {
    const style = part(/<style>(.*)<\/style>/.exec(await renderSvg(DESK))![1]!);
    const fill = (selector: string) => new RegExp(`${selector}\\{fill:(#[0-9a-f]{6})`).exec(style)![1]!;

    const paper = fill("\\.label rect");
    for (const ink of [fill("text"), fill("\\.label text")]) {
      for (const ground of [paper, fill("\\.agent"), fill("\\.human"), fill("\\.grader"), fill("\\.code")]) {
        expect(contrast(ink, ground)).toBeGreaterThan(4.5);
      }
    }
    expect(contrast(fill("\\.label\\.on_error text"), paper)).toBeGreaterThan(4.5);
  });
});

/** As WCAG 2 defines it: 4.5 is what text needs. */
function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
