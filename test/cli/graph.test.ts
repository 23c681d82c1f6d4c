import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aRoot, runCli } from "./stage.js";

const REPOSITORY = join(import.meta.dirname, "..", "..");

const DOOR = `
title: Door
runtime: { engine: archmax-harness, version: "3" }
states:
  ring:
    instructions: Ring.
    triggers: { manual: {} }
    transitions: [{ to: open, description: Somebody is in. }]
  open: { instructions: Go in. }
`;

function aWorkspace(source = DOOR): string {
  return aRoot([], { "workflows/door/workflow.yaml": source });
}

describe("parkway graph", () => {
  it("C-74 prints Mermaid text alone on stdout, and calls no model", async () => {
    const { exit, out, err, opened } = await runCli(["graph", "refund-desk"], { root: REPOSITORY });

    expect({ exit, opened }).toEqual({ exit: 0, opened: 0 });
    expect(out).toBe(readFileSync(join(REPOSITORY, "workflows/refund-desk/graph.mmd"), "utf8"));
    expect(err).toContain("refund-desk");
  });

  it("C-74 --svg prints a picture, and the only workflow needs no name", async () => {
    const { exit, out } = await runCli(["graph", "--svg"], { root: aWorkspace() });

    expect(exit).toBe(0);
    expect(out).toMatch(/^<svg .*<\/svg>\n$/s);
    expect(out).toContain(">Somebody is in.</text>");
  });

  it("C-74 H-110 --json prints the serialized graph", async () => {
    const { out } = await runCli(["graph", "door", "--json"], { root: aWorkspace() });

    expect(JSON.parse(out)).toMatchObject({
      nodes: ["__start__", "ring", "open"],
      edges: [
        { source: "__start__", target: "ring", conditional: true, label: "manual" },
        { source: "ring", target: "open", conditional: false, label: "Somebody is in." },
      ],
      entry: "ring",
      finals: ["open"],
    });
  });

  it("C-74 --svg with a file writes it from where the command was called, and says so", async () => {
    const root = aWorkspace();

    const { exit, out } = await runCli(["graph", "door", "--svg", "docs/door.svg"], { root });

    expect({ exit, out }).toEqual({ exit: 0, out: "wrote docs/door.svg\n" });
    expect(readFileSync(join(root, "docs/door.svg"), "utf8")).toMatch(/^<svg .*<\/svg>\n$/s);
  });

  it("C-74 --svg before the workflow's name takes it for no file", async () => {
    const root = aWorkspace();

    const { exit, out } = await runCli(["graph", "--svg", "door"], { root });

    expect(exit).toBe(0);
    expect(out).toMatch(/^<svg /);
    expect(existsSync(join(root, "door"))).toBe(false);
  });

  it("C-58 C-74 a file that cannot be written is one line and exit 1", async () => {
    const root = aRoot([], { "workflows/door/workflow.yaml": DOOR, "there.svg/file": "" });

    const { exit, out, err } = await runCli(["graph", "--svg", "there.svg"], { root });

    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    expect(err.trimEnd().split("\n").at(-1)).toMatch(/^✖ there\.svg cannot be written: /);
  });

  it.each([
    ["both forms at once", ["graph", "--svg", "x.svg", "--json"], 2, "not both"],
    ["a file of another kind", ["graph", "door", "--svg", "x.png"], 2, "ends in .svg"],
    ["an unknown workflow", ["graph", "window", "--svg", "x.svg"], 1, "window"],
    ["one that does not load", ["graph", "--svg", "x.svg"], 1, "nowhere"],
  ])("C-58 C-74 %s writes nothing", async (_what, argv, code, says) => {
    const root = aWorkspace(DOOR.replace("to: open", "to: nowhere"));

    const { exit, out, err } = await runCli(argv, { root });

    const told = out === "" ? null : JSON.parse(out);
    expect(exit).toBe(code);
    expect(told).toEqual(argv.includes("--json") ? { error: expect.objectContaining({ code: "usage" }) } : null);
    expect(err).toContain(says);
    expect(readdirSync(root)).toEqual(["workflows"]);
  });
});
