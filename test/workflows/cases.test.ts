/** The cases of the bundled workflows, from their cassettes: no key, no network. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BUNDLED, repliesOf } from "./bundled-cases.js";
import { bundledWorkspace, parkway, REPOSITORY } from "./command.js";

const SLOW_MS = 120_000;

function changeFile(root: string, file: string, change: (text: string) => string): void {
  writeFileSync(join(root, file), change(readFileSync(join(root, file), "utf8")));
}

function cassettesIn(root: string, slug: string): Record<string, string> {
  const tests = join(root, "workflows", slug, "tests");
  const names = readdirSync(tests).filter((name) => name.endsWith(".cassette.yaml"));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(tests, name), "utf8")]));
}

describe("the cases of the bundled workflows", { timeout: SLOW_MS }, () => {
  it.each(BUNDLED)("C-66 C-74 parkway test %s passes offline, without a model", async (slug) => {
    const { exit, out, err } = await parkway(REPOSITORY, ["test", slug]);

    expect([exit, out], err).toEqual([0, expect.stringMatching(/^[1-9]\d* passed, 0 failed, 0 skipped\n$/)]);
  });

  it("C-45 C-74 a changed instruction makes the case that is asked it fail, and shows the difference", async () => {
    const root = bundledWorkspace();
    changeFile(root, "workflows/refund-desk/workflow.yaml", (text) =>
      text.replace("State the decision in the first sentence", "State the decision in the last sentence"),
    );

    const { exit, out, err } = await parkway(root, ["test", "refund-desk", "too-late"]);

    expect([exit, out]).toEqual([1, "0 passed, 1 failed, 0 skipped\n"]);
    expect(err).toMatch(
      /✖ too-late .*\n.*asks the agent model something else than exchange 5 of .*too-late\.cassette\.yaml/,
    );
    expect(err).toMatch(/^ {6}-.*in the first sentence/m);
    expect(err).toMatch(/^ {6}\+.*in the last sentence/m);
  });

  it("C-74 a recording of today is the one that is kept, to the byte", async () => {
    const root = bundledWorkspace();

    const { exit } = await parkway(root, ["test", "invoice-chaser", "--record"], repliesOf("invoice-chaser"));

    expect(exit).toBe(0);
    expect(cassettesIn(root, "invoice-chaser")).toEqual(cassettesIn(REPOSITORY, "invoice-chaser"));
  });
});
