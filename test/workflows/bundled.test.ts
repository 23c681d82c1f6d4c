/** The bundled workspace as it lies there: the contract's examples to the byte, drawn as they are. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { compileMachine, renderMermaid } from "../../lib/machine/index.js";
import { parseModelScript } from "../../lib/models/index.js";
import { parseSpec } from "../../lib/spec/index.js";

const REPOSITORY = join(import.meta.dirname, "..", "..");
const WORKFLOWS = join(REPOSITORY, "workflows");
const EXAMPLES = join(REPOSITORY, "test", "fixtures", "examples");
const SLUGS = readdirSync(WORKFLOWS).sort();
/** What this repository adds to an example: one persona for each workflow, since the workspace has one AGENTS.md. */
const OURS = /^AGENTS\.md$|WORKFLOW\.md$/;

function filesBelow(dir: string): string[] {
  const entries = readdirSync(dir, { recursive: true, encoding: "utf8" });
  return entries.filter((name) => statSync(join(dir, name)).isFile()).sort();
}

describe("the bundled workflows", () => {
  it("are the five of the examples", () => {
    expect(SLUGS).toEqual(["draft-reminder", "hello-park", "hello-wait", "invoice-chaser", "refund-desk"]);
  });

  it.each(["hello-park", "refund-desk", "invoice-chaser"])(
    "hold every file of the example %s as the contract gives it",
    (example) => {
      const given = filesBelow(join(EXAMPLES, example)).filter((name) => !OURS.test(name));

      expect(given.length).toBeGreaterThan(5);
      for (const name of given) {
        expect([name, readFileSync(join(REPOSITORY, name), "utf8")]).toEqual([
          name,
          readFileSync(join(EXAMPLES, example, name), "utf8"),
        ]);
      }
    },
  );

  // `npx vitest run --project unit test/workflows/bundled.test.ts -u` draws anew.
  it.each(SLUGS)("H-108 graph.mmd of %s is its drawing", async (slug) => {
    const parsed = parseSpec(readFileSync(join(WORKFLOWS, slug, "workflow.yaml"), "utf8"));
    if (!parsed.ok) throw new Error(`${slug} does not load`);

    await expect(renderMermaid(compileMachine(parsed, slug))).toMatchFileSnapshot(join(WORKFLOWS, slug, "graph.mmd"));
  });

  it.each(SLUGS)("%s is described for who reads it, and what that names is there", (slug) => {
    const readme = readFileSync(join(WORKFLOWS, slug, "README.md"), "utf8");
    const named = [...readme.matchAll(/^- `([^`]+)`/gm)].map((match) => match[1]!);

    expect(readme).toContain("[graph.mmd](graph.mmd)");
    expect(named.length).toBeGreaterThan(2);
    for (const name of named) expect(() => statSync(join(WORKFLOWS, slug, name))).not.toThrow();
  });

  it("have scripted replies that are read", () => {
    const scripts = filesBelow(WORKFLOWS).filter((name) => name.endsWith(join("demo", "replies.yaml")));

    expect(scripts.length).toBeGreaterThanOrEqual(3);
    for (const name of scripts) {
      const file = relative(REPOSITORY, join(WORKFLOWS, name));
      expect(parseModelScript(readFileSync(join(WORKFLOWS, name), "utf8"), file).kind).toBe("conditional");
    }
  });
});
