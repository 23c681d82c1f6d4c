import { describe, expect, it } from "vitest";
import type { GovernanceRule } from "../../lib/kernel/types.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { advance, benches, calls, offered, ofType, results, says, types } from "./support.js";

const open = benches();

const handled: unknown[] = [];
const host = toolsFromMap(
  Object.fromEntries(
    ["lookup", "crm__find", "crm__close", "desk__close", "essential", "store"].map((name) => [
      name,
      {
        description: name,
        inputSchema: {
          type: "object",
          properties: { id: { type: "string" }, target: {} },
          additionalProperties: true,
        },
        ...(name === "store" ? { paths: { target: "write" as const } } : {}),
        handler: (args: Record<string, unknown>, context: { sessionId: string; idempotencyKey: string }) => {
          handled.push({ name, args, sessionId: context.sessionId, key: context.idempotencyKey });
          if (args.fail) throw new Error(`${name} is down`);
          if (args.nothing) return undefined;
          return "returns" in args ? args.returns : `${name} ran`;
        },
      },
    ]),
  ),
);

const ONE = (keys = "", root = "") => `
${root}
states:
  work:
    instructions: Work.
    triggers: { manual: }
    ${keys}
`;

async function run(spec: string, made: Parameters<typeof calls>, options: Omit<BenchOptions, "spec"> = {}) {
  handled.length = 0;
  const bench = await open({ spec, tools: host, replies: [calls(...made), says("end")], ...options });
  const outcome = await bench.agent.workflow.send("s1", { message: "go" });
  return { bench, outcome, answered: results(outcome), blocked: ofType(bench.events, "tool-blocked") };
}

describe("a blocked call", () => {
  it("R-61 R-204 R-295 is answered with reason and marks, told once, and its handler does not run", async () => {
    const { bench, outcome, answered, blocked } = await run(ONE(), [["lookup", { id: "7" }, "call-b"]]);

    expect(answered).toMatchObject([{ status: "error", refusal: "blocked:tool.not-allowed" }]);
    expect(outcome.messages.find(({ tool_call_id }) => tool_call_id === "call-b")?.additional_kwargs).toEqual({
      archmax: { refusal: "blocked:tool.not-allowed" },
      governance_blocked: true,
    });
    expect(blocked).toMatchObject([
      { state: "work", tool: "lookup", callId: "call-b", args: { id: "7" }, rule: "tool.not-allowed", level: "warn" },
    ]);
    expect(blocked[0]?.reason).toBe(answered[0]?.text);
    expect(types(bench.events, "tool-called", "tool-result")).toEqual([]);
    expect(handled).toEqual([]);
  });

  it.each([
    ["tool.path-argument", "read_file", { file_path: 7 }],
    ["zone.escapes", "read_file", { file_path: "../x" }],
    ["tool.ungrantable", "task", {}],
    ["tool.ungrantable", "archmax_note", { kind: "code" }],
    ["tool.ungrantable", "eval", {}],
    ["zone.read-only", "write_file", { file_path: "skills/x/SKILL.md", content: "" }],
    ["zone.runtime-internal", "read_file", { file_path: "_specs/x" }],
    ["zone.runtime-managed", "write_file", { file_path: "large_tool_results/x", content: "" }],
    ["tool.forbidden", "grep", { pattern: "x" }],
    ["tool.forbidden-here", "glob", { pattern: "x" }],
    ["host.rule", "lookup", { id: "host" }],
    ["tool.not-allowed", "essential", {}],
  ])("R-204 W-209 the engine reports rule %s for %s %j", async (rule, tool, args) => {
    const { answered, blocked } = await run(
      ONE("tools: { allow: [lookup, store], forbid: [glob] }", "tools: { forbid_always: [grep] }"),
      [[tool, args]],
      {
        files: { "skills/x/SKILL.md": "---\nname: x\ndescription: d\n---\n" },
        policyRules: [
          ({ args }) => (args.id === "host" ? { decision: "block", ruleId: "host.rule", reason: "no" } : null),
        ],
      },
    );

    expect(answered[0]?.refusal).toBe(`blocked:${rule}`);
    expect(blocked.map((event) => event.rule)).toEqual([rule]);
  });

  it("R-204 R-206 a denial beats every grant, the open areas and the controls included", async () => {
    const { blocked, outcome } = await run(ONE("tools: { forbid: [archmax_set_variables, write_file] }"), [
      ["archmax_set_variables", { variables: { a: 1 } }],
      ["write_file", { file_path: "scratchpad/a", content: "" }],
    ]);

    expect(blocked.map(({ rule }) => rule)).toEqual(["tool.forbidden-here", "tool.forbidden-here"]);
    expect(outcome.variables.a).toBeUndefined();
  });

  it("R-206 a write into a read-only mount is zone.read-only although the skill is out of reach too", async () => {
    const { blocked } = await run(ONE(), [["write_file", { file_path: "skills/x/a.md", content: "" }]], {
      files: { "skills/x/SKILL.md": "---\nname: x\ndescription: d\n---\n" },
    });

    expect(blocked.map(({ rule }) => rule)).toEqual(["zone.read-only"]);
  });

  it("R-207 judges every path of a call, and names argument and path", async () => {
    const { blocked, bench } = await run(ONE(), [
      ["copy_file", { source: "scratchpad/a", destination: "checkpoints/b" }],
      ["move_file", { source: "checkpoints/b", destination: "scratchpad/a" }],
    ]);

    expect(blocked.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/destination[\s\S]*checkpoints\/b/),
      expect.stringMatching(/source[\s\S]*checkpoints\/b/),
    ]);
    expect(types(bench.events, "tool-called")).toEqual([]);
  });

  it("R-209 a host rule sees the substituted arguments; one that throws blocks with its own id", async () => {
    const seen: unknown[] = [];
    const watch: GovernanceRule = ({ args }) => {
      seen.push(args);
      if (args.id === "boom") throw new Error("broken");
      return null;
    };
    const spec = ONE("tools: { allow: [lookup] }");
    const { blocked } = await run(
      spec,
      [
        ["lookup", { id: "${{trigger}}" }],
        ["lookup", { id: "boom" }],
      ],
      {
        policyRules: [watch],
      },
    );

    expect(seen).toEqual([{ id: "manual" }, { id: "boom" }]);
    expect(blocked.map((event) => event.rule)).toEqual(["watch"]);
  });
});

describe("what a state offers", () => {
  it("R-219 W-207 R-212 exactly what a deciding grant names, and the controls, minus bare denials", async () => {
    const { bench } = await run(
      ONE(
        'tools: { allow: [lookup, { tool: ls, args: { path: "scratchpad/**" } }], forbid: [archmax_wait, { tool: lookup, args: { id: "x" } }] }',
        "tools: { allow_always: [read_file] }",
      ),
      [],
    );

    expect(offered(bench.requests[0])).toEqual([
      "ls",
      "read_file",
      "lookup",
      "archmax_reset",
      "archmax_raise",
      "archmax_get_variables",
      "archmax_set_variables",
    ]);
  });

  it("W-207 R-204 a call to a tool that was not offered is still judged and refused", async () => {
    const { blocked } = await run(ONE("", "tools: { allow_always: [] }"), [
      ["write_file", { file_path: "a", content: "" }],
    ]);

    expect(blocked.map(({ rule }) => rule)).toEqual(["tool.not-allowed"]);
  });

  it("R-211 `allow_always` absent means the default tools that are served, declared exactly what it lists", async () => {
    const absent = await run(ONE(), []);
    const empty = await run(ONE("", "tools: { allow_always: [] }"), []);
    const plain = (bench: typeof absent.bench) =>
      offered(bench.requests[0]).filter((name) => !name.startsWith("archmax_"));

    expect(plain(absent.bench)).toEqual([
      "ls",
      "read_file",
      "write_file",
      "edit_file",
      "glob",
      "grep",
      "copy_file",
      "move_file",
      "remove_file",
      "write_todos",
    ]);
    expect(plain(empty.bench)).toEqual([]);
  });

  it("R-219 W-278 the order is the registration order, whatever the spec's order is", async () => {
    const one = await run(
      ONE("tools: { allow: [lookup, essential, ls] }", "tools: { allow_always: [grep, read_file] }"),
      [],
    );
    const two = await run(
      ONE("tools: { allow: [ls, essential, lookup] }", "tools: { allow_always: [read_file, grep] }"),
      [],
    );

    expect(one.bench.requests[0]?.body.tools).toEqual(two.bench.requests[0]?.body.tools);
  });

  it("R-212 a human state's reply-only calls offer what an agent state with the same grants would", async () => {
    const bench = await open({
      spec: `
states:
  work: { instructions: Work., triggers: { manual: }, transitions: [{ to: ask }], tools: { allow: [lookup] } }
  ask:
    type: human
    instructions: Decide.
    tools: { allow: [essential] }
    transitions: [{ to: work, description: On }]
`,
      tools: host,
      replies: [advance("ask"), says("Please.")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(offered(bench.requests[1])).toEqual(
      offered(bench.requests[0]).map((name) => (name === "lookup" ? "essential" : name)),
    );
  });

  it("R-210 a state's own entry narrows what the workflow grants, for that tool and state alone", async () => {
    const spec = `
tools: { allow_always: [lookup, essential] }
states:
  work:
    instructions: Work.
    triggers: { manual: }
    tools: { allow: [{ tool: lookup, args: { id: "a*" } }] }
    transitions: [{ to: done }]
  done: { instructions: Close. }
`;
    const bench = await open({
      spec,
      tools: host,
      replies: [
        calls(["lookup", { id: "b" }], ["lookup", { id: "ab" }], ["essential"]),
        advance("done"),
        calls(["lookup", { id: "b" }]),
        says("end"),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome).map(({ refusal }) => refusal)).toEqual([
      "blocked:tool.not-allowed",
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("R-210 essential tools are granted everywhere, unconstrained", async () => {
    const { bench, answered } = await run(ONE("", "tools: { allow_always: [] }"), [["essential", { id: "x" }]], {
      essentialTools: ["essential"],
    });

    expect(offered(bench.requests[0])).toContain("essential");
    expect(answered[0]).toMatchObject({ status: "success", text: "essential ran" });
  });
});

describe("names and arguments", () => {
  it("R-58 resolves the exact name, else the single `<collection>__<name>`; others are no tool, and no block", async () => {
    const spec = ONE("tools: { allow: [crm__find, crm__close, desk__close] }");
    const { answered, blocked, bench } = await run(spec, [["find", { id: "1" }], ["close"], ["nothing_like_it"]]);

    expect(answered).toMatchObject([
      { status: "success", text: "crm__find ran" },
      { refusal: "unknown-tool", text: expect.stringMatching(/crm__close[\s\S]*desk__close/) },
      { refusal: "unknown-tool", text: expect.stringContaining("nothing_like_it") },
    ]);
    expect(blocked).toEqual([]);
    expect(ofType(bench.events, "tool-called").map(({ tool }) => tool)).toEqual(["crm__find"]);
  });

  it("R-59 answers arguments that do not fit, without running, with both events", async () => {
    const { answered, bench } = await run(ONE("tools: { allow: [lookup] }"), [["lookup", { id: 7 }]]);

    expect(answered).toMatchObject([
      { status: "error", refusal: "invalid-arguments", text: expect.stringContaining("id") },
    ]);
    expect(handled).toEqual([]);
    expect(types(bench.events, "tool-called", "tool-result")).toEqual(["tool-called", "tool-result"]);
  });

  it("R-60 a tool that throws is an error answer; siblings are kept", async () => {
    const { answered, bench } = await run(ONE("tools: { allow: [lookup] }"), [
      ["lookup", { fail: true }],
      ["lookup", { id: "a" }],
    ]);

    expect(answered).toMatchObject([
      { status: "error", refusal: "tool-threw", text: expect.stringContaining("lookup is down") },
      { status: "success" },
    ]);
    expect(
      ofType(bench.events, "tool-result")
        .map(({ status }) => status)
        .sort(),
    ).toEqual(["error", "success"]);
  });

  it.each([[{ file_path: "scratchpad/a.txt", content: "x" }], [{ path: "scratchpad/a.txt", content: "x" }]])(
    "R-215 R-216 `path` and `file_path` are read for each other: %j",
    async (args) => {
      const { answered } = await run(ONE(), [["write_file", args]]);
      const { blocked } = await run(ONE(), [["write_file", { ...args, ...rename(args, "checkpoints/a") }]]);

      expect(answered[0]?.status).toBe("success");
      expect(blocked.map(({ rule }) => rule)).toEqual(["zone.runtime-internal"]);
    },
  );

  it("R-216 a host tool's declared paths are judged, an undeclared argument is not", async () => {
    const { blocked } = await run(ONE("tools: { allow: [store, lookup] }"), [
      ["store", { target: "checkpoints/x" }],
      ["lookup", { target: "checkpoints/x" }],
    ]);

    expect(blocked).toMatchObject([{ tool: "store", rule: "zone.runtime-internal" }]);
  });

  it("R-213 R-214 guards match the canonical path, and the tool receives it", async () => {
    const { answered } = await run(ONE('tools: { allow: [{ tool: store, args: { target: "reports/*.md" } }] }'), [
      ["store", { target: "/reports//./a.md" }],
      ["store", { target: "reports/x/../../private/a.md" }],
      ["store", { target: "reports/deep/a.md" }],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual([
      undefined,
      "blocked:tool.not-allowed",
      "blocked:tool.not-allowed",
    ]);
    expect(handled).toMatchObject([{ args: { target: "reports/a.md" } }]);
  });

  it("R-217 W-210 scratchpad/ is open to granted file tools and essential ones, whatever their guards", async () => {
    const spec = ONE(
      'tools: { allow: [{ tool: write_file, args: { file_path: "out/**" } }, read_file] }',
      "tools: { allow_always: [] }",
    );
    const { answered } = await run(spec, [
      ["write_file", { file_path: "scratchpad/a.md", content: "x" }],
      ["write_file", { file_path: "elsewhere/a.md", content: "x" }],
      ["edit_file", { file_path: "scratchpad/a.md", old_string: "x", new_string: "y" }],
      ["store", { target: "scratchpad/a.md" }],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual([
      undefined,
      "blocked:tool.not-allowed",
      "blocked:tool.not-allowed",
      "blocked:tool.not-allowed",
    ]);
  });

  it("R-218 offloaded results can be read with a guarded read_file", async () => {
    const spec = ONE(
      'tools: { allow: [{ tool: read_file, args: { file_path: "x/**" } }] }',
      "tools: { allow_always: [] }",
    );
    const { answered } = await run(spec, [
      ["read_file", { file_path: "large_tool_results/none.txt" }],
      ["read_file", { file_path: "y/none.txt" }],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual([undefined, "blocked:tool.not-allowed"]);
  });
});

describe("listings", () => {
  const spec = ONE(
    'tools: { forbid: [{ tool: ls, paths: ["secrets/**"] }, { tool: glob, paths: ["secrets/**"] }, { tool: grep, paths: ["secrets/**"] }] }',
  );
  const seed = async (bench: Awaited<ReturnType<typeof open>>) =>
    bench.agent.sessions.seed("s1", { "secrets/key.txt": "needle", "open/a.txt": "needle" });

  it("R-223 F-98 lose what a denial of the same tool covers, and say nothing of it", async () => {
    const bench = await open({
      spec,
      replies: [
        calls(["ls"], ["ls", { path: "secrets" }], ["glob", { pattern: "**/*.txt" }], ["grep", { pattern: "needle" }]),
        says("end"),
      ],
    });
    await seed(bench);
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const [root, denied, glob, grep] = results(outcome);

    for (const listing of [root, glob, grep]) {
      expect(listing?.text).toContain("open");
      expect(listing?.text).not.toContain("secret");
    }
    expect(denied).toMatchObject({ refusal: "blocked:tool.forbidden-here" });
  });

  it("R-223 for scripts alike, and a file the call may read is never filtered", async () => {
    const bench = await open({
      spec: `
states:
  work:
    type: code
    script: scripts/w.js
    triggers: { manual: }
    tools: { forbid: [{ tool: ls, paths: ["secrets/**"] }] }
`,
      files: {
        "workflows/case/scripts/w.js": `export default async ({ tools }) => {
          console.log(await tools.ls({})); console.log(await tools.read_file({ file_path: "secrets/key.txt" })); }`,
      },
    });
    await seed(bench);
    await bench.agent.workflow.send("s1", { message: "go" });
    const printed = ofType(bench.events, "code-output").map(({ line }) => line);

    expect(printed.join("\n")).not.toContain("secrets");
    expect(printed).toContain("/open/");
    expect(printed.at(-1)).toBe("needle");
  });

  it("R-223 hide a bundle that the state does not enable, and the runtime's own areas", async () => {
    const { answered } = await run(ONE(), [["ls"], ["ls", { path: "skills" }], ["glob", { pattern: "**/*" }]], {
      files: { "skills/hidden/SKILL.md": "---\nname: hidden\ndescription: d\n---\n" },
    });

    for (const { text } of answered) expect(text).not.toMatch(/hidden|_specs|checkpoints/);
  });
});

describe("results", () => {
  it("R-245 a result over 80,000 characters is replaced by a path and a preview, and can be read there", async () => {
    const long = Array.from({ length: 12_000 }, (_, n) => `line ${n}`).join("\n");
    const bench = await open({
      spec: ONE("tools: { allow: [lookup] }"),
      tools: host,
      replies: [
        calls(["lookup", { returns: long }, "call-long"]),
        calls(["read_file", { file_path: "large_tool_results/call-long.txt", limit: 2 }]),
        says("end"),
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });
    const [short, read] = results(outcome);

    expect(short?.text).toContain("large_tool_results/call-long.txt");
    expect(short?.text).toMatch(/line 0\n[\s\S]*line 11999/);
    expect(short?.text.length).toBeLessThan(1_000);
    expect(read?.text).toMatch(/line 0/);
  });

  it.each([
    ["text", { returns: "as it is" }, "as it is"],
    ["nothing", { nothing: true }, ""],
    ["a value", { returns: { a: [1] } }, '{"a":[1]}'],
  ])("R-249 %s is answered", async (_, args, text) => {
    const { answered } = await run(ONE("tools: { allow: [lookup] }"), [["lookup", args]]);

    expect(answered[0]?.text).toBe(text);
  });

  it("R-248 F-16 F-14 the handler knows its session, and gets a key of its call", async () => {
    const bench = await open({
      spec: ONE("tools: { allow: [lookup] }"),
      tools: host,
      answer: (request) =>
        request.body.messages.at(-1)?.role === "user" ? calls(["lookup"], ["lookup"]) : says("end"),
    });
    handled.length = 0;
    await Promise.all(["a", "b"].map((id) => bench.agent.workflow.send(id, { message: "go" })));
    const seen = handled as { sessionId: string; key: string }[];

    expect(seen.map(({ sessionId }) => sessionId).sort()).toEqual(["a", "a", "b", "b"]);
    expect(new Set(seen.map(({ key }) => key)).size).toBe(4);
  });

  it("R-250 write_todos replaces the list, keeps it across turns, and answers shortly", async () => {
    const todos = [{ content: "one", status: "completed" }];
    const { answered, bench } = await run(
      ONE(),
      [["write_todos", { todos: [{ content: "old", status: "pending" }] }]],
      {
        replies: [
          calls(["write_todos", { todos: [{ content: "old", status: "pending" }] }]),
          calls(["write_todos", { todos }]),
          says("end"),
          says("again"),
        ],
      },
    );

    expect(answered.map(({ status }) => status)).toEqual(["success", "success"]);
    expect(answered[1]?.text.length).toBeLessThan(100);
    await bench.agent.workflow.send("s1", { message: "more" });
    const { loadState } = await import("../../lib/session/load-state.js");
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.todos).toEqual(todos);
  });

  it("R-251 two write_todos calls in one message are both refused, and the list stays", async () => {
    const { answered, bench } = await run(ONE(), [
      ["write_todos", { todos: [] }],
      ["write_todos", { todos: [] }],
    ]);

    expect(answered.map(({ status }) => status)).toEqual(["error", "error"]);
    const { loadState } = await import("../../lib/session/load-state.js");
    expect((await loadState(bench.stores.sessions, "s1"))?.state.fields.todos).toBeUndefined();
  });
});

describe("the tools granted by default", () => {
  it("R-283 nothing is withheld of what is granted by default", async () => {
    const { bench } = await run(ONE(), [["archmax_eval", { code: "1" }]]);

    expect(offered(bench.requests[0])).toEqual(expect.arrayContaining(["archmax_eval", "archmax_run"]));
    expect(ofType(bench.events, "prompt-shaping")).toMatchObject([{ withheld: [] }]);
  });
});

function rename(args: Record<string, string>, path: string): Record<string, string> {
  return "path" in args ? { path } : { file_path: path };
}
