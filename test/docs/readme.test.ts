import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "../../lib/cli/commands.js";
import { aRoot, runCli } from "../cli/stage.js";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

describe("the README", () => {
  it("has a first workflow that is valid without a warning", async () => {
    const source = /```yaml\n([\s\S]*?)```/.exec(README)![1]!;
    const root = aRoot([], { "workflows/greeter/workflow.yaml": source });

    const { out, err } = await runCli(["validate", "greeter"], { root });

    expect(out).toBe("valid — 0 error(s), 0 warning(s)\n");
    expect(err).not.toContain("warning");
  });

  it("lists commands that exist", () => {
    const listed = [...README.matchAll(/^\| `(\w+)/gm)].map((match) => match[1]);

    expect(listed.length).toBeGreaterThan(5);
    expect(COMMANDS.map(({ name }) => name)).toEqual(expect.arrayContaining(listed));
  });
});
