/** What validation takes no notice of. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../memory-backend.js";
import { findings, SCRIPT, SPEC, spec } from "./sample-workspace.fixture.js";
import { validateWorkflow } from "./validate.js";

const ROOT = join(import.meta.dirname, "../../..");
/** A title line, an empty line, and prose. */
const DESCRIBED = /^\/\*\*\n \* \S[^\n]*\n \*\n(?: \* \S[^\n]*\n)+ \*\/\n/;

describe("what is not read", () => {
  it("W-294 hooks/ and tests.config.js raise nothing, whatever they hold, and their text is not looked at", async () => {
    const broken = "export default (";
    const read: unknown[] = [];
    const backend = new Proxy(
      createMemoryBackend({
        [SPEC]: spec(),
        "workflows/w/hooks/before.js": broken,
        "workflows/w/hooks/a.test.yaml": "title: [",
        "workflows/w/tests/tests.config.js": broken,
      }),
      {
        get(target, method, receiver) {
          const member: unknown = Reflect.get(target, method, receiver);
          if (typeof member !== "function") return member;
          return (...args: unknown[]) => {
            if (method !== "ls") read.push(args[0]);
            return Reflect.apply(member, target, args);
          };
        },
      },
    );

    expect(await validateWorkflow({ workflow: "w", backend })).toMatchObject({ valid: true, diagnostics: [] });
    expect(read).toContain(`/${SPEC}`);
    expect(read.join(" ")).not.toMatch(/hooks|tests\.config/);
  });
});

describe("the comment a script begins with", () => {
  it("W-281 is not required by validation", async () => {
    const source = spec({ start: "on_error: work", states: "work:\n  type: code\n  script: scripts/a.js" });

    expect(SCRIPT).not.toMatch(DESCRIBED);
    expect(await findings({ [SPEC]: source, "workflows/w/scripts/a.js": SCRIPT })).toEqual([]);
  });

  it("W-281 stands in every bundled script: a title, an empty line and what it reads, checks and leads to", () => {
    const folders = ["workflows", "test/fixtures/examples"];
    const scripts = folders.flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /(^|\/)scripts\/[^/]+\.js$/.test(name))
        .map((name) => join(ROOT, folder, name)),
    );

    expect(scripts.length).toBeGreaterThan(10);
    for (const script of scripts)
      expect([script, readFileSync(script, "utf8")]).toEqual([script, expect.stringMatching(DESCRIBED)]);
  });
});
