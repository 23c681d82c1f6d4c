import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import type { Outcome } from "../../lib/session/outcome.js";
import type { Bench } from "../harness/agent.js";
import { benches } from "./support.js";

const open = benches();

/** The bench's clock stands at 2026-03-20, 09:00 UTC. */
const ENTRIES: [entry: Record<string, unknown>, fits: unknown, not: unknown, named: RegExp][] = [
  [{ type: "string" }, "", 5, /string; got number/],
  [{ type: "integer" }, -4, "4", /integer; got string/],
  [{ type: "integer" }, 0, 1.5, /integer/],
  [{ type: "number" }, 1.5, true, /number; got boolean/],
  [{ type: "boolean" }, false, null, /boolean; got null/],
  [{ type: "date" }, "2024-02-29", "2026-02-30", /date/],
  [{ type: "date-time" }, "2026-03-01T10:00:00+01:00", "2026-03-01T10:00:00", /date-time/],
  [{ type: "object" }, {}, [], /object; got array/],
  [{ type: "array" }, [], {}, /array; got object/],
  [{ type: "file" }, "scratchpad/a.txt", "../a.txt", /file/],
  [{ type: "file" }, "scratchpad/a.txt", "artifacts/a.txt", /file/],
  [{ type: "string", format: "email" }, "a@b.de", "a@b", /format: "email"/],
  [{ type: "string", format: "url" }, "https://x.y", "ftp://x.y", /format: "url"/],
  [{ type: "string", format: "phone" }, "+491234", "01234", /format: "phone"/],
  [{ type: "string", pattern: "^[A-Z]\\d+$" }, "A7", "7A", /pattern/],
  [{ type: "string", minLength: 2 }, "😀😀", "😀", /minLength: 2/],
  [{ type: "string", maxLength: 1 }, "😀", "ab", /maxLength: 1/],
  [{ type: "string", enum: ["a", "b"] }, "b", "c", /enum: \["a","b"\]/],
  [{ type: "integer", minimum: 1 }, 1, 0, /minimum: 1/],
  [{ type: "number", maximum: 1.5 }, 1.5, 1.6, /maximum: 1.5/],
  [{ type: "date", minimum: "today" }, "2026-03-20", "2026-03-19", /minimum: "today"/],
  [{ type: "date-time", maximum: "now" }, "2026-03-20T10:00:00+01:00", "2026-03-20T09:00:01Z", /maximum: "now"/],
  [{ type: "array", minItems: 1 }, [0], [], /minItems: 1/],
  [{ type: "array", maxItems: 1 }, [0], [0, 1], /maxItems: 1/],
  [{ type: "file", accept: [".txt"] }, "scratchpad/a.txt", "scratchpad/a.md", /accept: \["\.txt"\]/],
];

const SCRIPTS = {
  "workflows/case/scripts/nothing.js": "export default () => {};",
  "workflows/case/scripts/write.js": `export default async ({ tools, variables }) => {
    await tools.archmax_set_variables({ variables: { x: variables.given, beside: 1 } }); };`,
};

/** One trigger an entry, each of which takes it, gives it back, or has a script write it. */
function specWith(of: "requires" | "returns" | "writes"): string {
  const signature = (entry: Record<string, unknown>) => {
    const x = { name: "x", ...entry };
    if (of === "requires") return { requires: [x] };
    return of === "returns" ? { requires: ["x"], returns: [x] } : { requires: ["given"], returns: [x] };
  };
  const triggers = ENTRIES.map(([entry], at) => [`t${at}`, { message: false, ...signature(entry) }]);
  const script = of === "writes" ? "scripts/write.js" : "scripts/nothing.js";
  return stringify({ states: { work: { type: "code", script, triggers: Object.fromEntries(triggers) } } });
}

async function each(
  of: "requires" | "returns" | "writes",
  see: (results: { fitting: Outcome; other: Outcome; named: RegExp; bench: Bench }) => void,
): Promise<void> {
  const bench = await open({ spec: specWith(of), files: SCRIPTS });
  const name = of === "writes" ? "given" : "x";
  const send = async (id: string, trigger: string, value: unknown) => {
    await bench.agent.sessions.seed(id, { "scratchpad/a.txt": "text", "scratchpad/a.md": "md" });
    return bench.agent.workflow.send(id, { trigger: { id: trigger }, variables: { [name]: value } });
  };
  const outcomes = ENTRIES.map(async ([, fits, not, named], at) => ({
    fitting: await send(`fits-${at}`, `t${at}`, fits),
    other: await send(`not-${at}`, `t${at}`, not),
    named,
    bench,
  }));
  for (const outcome of await Promise.all(outcomes)) see(outcome);
}

describe("signatures", () => {
  it("R-34 R-37 W-121 W-122 W-123 W-126 W-127 W-132 every type and rule is held when a turn opens", async () => {
    await each("requires", ({ fitting, other, named, bench }) => {
      expect(fitting, String(named)).toMatchObject({ kind: "completed" });
      expect(other, String(named)).toMatchObject({ kind: "rejected", auditTrail: [], variables: {} });
      expect(other.rejected).toMatch(/trigger t\d+ .*"x"/);
      expect(other.rejected).toMatch(named);
      expect(bench.requests).toHaveLength(0);
    });
  });

  it("R-52 W-121 W-123 W-128 W-134 every type and rule is held when it completes", async () => {
    await each("returns", ({ fitting, other, named }) => {
      expect(fitting, String(named)).toMatchObject({ kind: "completed" });
      expect(other, String(named)).toMatchObject({ kind: "rejected", state: "work" });
      expect(other.rejected).toMatch(/"x"/);
      expect(other.rejected).toMatch(named);
    });
  });

  it("W-133 every type and rule is held at a write, which is refused as a whole", async () => {
    await each("writes", ({ fitting, other, named }) => {
      expect(fitting, String(named)).toMatchObject({ kind: "completed", variables: { x: {}, beside: {} } });
      expect(other.variables, String(named)).not.toHaveProperty("x");
      expect(other.variables).not.toHaveProperty("beside");
      expect(other.rejected).toMatch(named);
    });
  });

  it("R-34 W-131 tells every name that is missing or does not conform, and takes an untyped null", async () => {
    const spec = stringify({
      states: {
        work: {
          type: "code",
          script: "scripts/nothing.js",
          triggers: {
            go: { message: false, requires: ["a", { name: "b", type: "integer" }, { name: "c", type: "date" }, "d"] },
          },
        },
      },
    });
    const { agent } = await open({ spec, files: SCRIPTS });
    const send = (id: string, variables: Record<string, unknown>) =>
      agent.workflow.send(id, { trigger: { id: "go" }, variables });

    expect((await send("s1", { b: "4", d: null })).rejected).toMatch(
      /"a" is not set.*"b" must be of type integer; got string.*"c" \(date\) is not set/,
    );
    expect(await send("s1", { a: null, b: 4, c: "2026-01-01", d: null })).toMatchObject({ kind: "completed" });
  });

  it("R-37 a held value counts, and is held to the type of the trigger that opens now", async () => {
    const spec = stringify({
      states: {
        work: {
          type: "code",
          script: "scripts/nothing.js",
          triggers: {
            loose: { message: false, requires: ["x"] },
            strict: { message: false, requires: [{ name: "x", type: "integer" }] },
          },
        },
      },
    });
    const { agent } = await open({ spec, files: SCRIPTS });
    const send = (trigger: string, variables = {}) =>
      agent.workflow.send("s1", { trigger: { id: trigger }, variables });

    await send("loose", { x: "4" });
    expect(await send("strict")).toMatchObject({ kind: "rejected", rejected: expect.stringContaining("got string") });
    expect(await send("strict", { x: 4 })).toMatchObject({ kind: "completed" });
    expect(await send("strict")).toMatchObject({ kind: "completed" });
  });

  it("R-34 R-52 W-128 a file is there, readable and small enough, at the boundary and at the end", async () => {
    const scan = { name: "x", type: "file", maxSize: "4B" };
    const spec = stringify({
      states: {
        work: {
          type: "code",
          script: "scripts/nothing.js",
          triggers: {
            take: { message: false, requires: [scan] },
            give: { message: false, requires: ["x"], returns: [scan] },
          },
        },
      },
    });
    const bench = await open({ spec, files: { ...SCRIPTS, "skills/tone/SKILL.md": "---\ndescription: d\n---\n" } });
    await bench.agent.sessions.seed("s1", { "scratchpad/small.txt": "four", "scratchpad/large.txt": "fives" });
    const send = (trigger: string, x: string) =>
      bench.agent.workflow.send("s1", { trigger: { id: trigger }, variables: { x } });

    for (const trigger of ["take", "give"]) {
      expect(await send(trigger, "scratchpad/small.txt")).toMatchObject({ kind: "completed" });
      expect(await send(trigger, "scratchpad/large.txt")).toMatchObject({
        kind: "rejected",
        rejected: expect.stringMatching(/large\.txt of 5 bytes; at most 4/),
      });
      expect(await send(trigger, "scratchpad/none.txt")).toMatchObject({
        kind: "rejected",
        rejected: expect.stringMatching(/none\.txt, which does not exist/),
      });
      expect(await send(trigger, "scratchpad")).toMatchObject({ kind: "rejected" });
    }
  });

  it("W-125 R-34 a pattern takes linear time in whatever arrives, and is no JavaScript expression", async () => {
    const { agent } = await open({
      spec: stringify({
        states: {
          work: {
            type: "code",
            script: "scripts/nothing.js",
            triggers: { go: { message: false, requires: [{ name: "x", type: "string", pattern: "^(a+)+(?i)B$" }] } },
          },
        },
      }),
      files: SCRIPTS,
    });
    const send = (id: string, x: string) => agent.workflow.send(id, { trigger: { id: "go" }, variables: { x } });

    expect(await send("s1", `${"a".repeat(20_000)}!`)).toMatchObject({ kind: "rejected" });
    expect(await send("s2", "aab")).toMatchObject({ kind: "completed" });
  });
});
