import { afterAll, describe, expect, it } from "vitest";
import { aSandbox, reasonOf } from "./sandbox.fixture.js";

const sandbox = aSandbox();
const { run, body } = sandbox;
afterAll(() => sandbox.close());
const OK = { status: "ok" };

describe("the default export", () => {
  it("R-147 W-76 is called once with the state's input and its value is ignored", async () => {
    const input = { state: "intake", trigger: "order-in", variables: { order: { lines: [1, 2] } } };
    const ran = await run(
      `export default async function (input) {
        console.log(Object.keys(input).join(), input.state, input.trigger, input.variables);
        return { not: "read", fn() {} };
      }`,
      { input },
    );
    expect(ran.result).toEqual(OK);
    expect(ran.lines).toEqual(['state,trigger,variables,tools intake order-in {"order":{"lines":[1,2]}}']);
  });

  it("R-147 is awaited", async () => {
    const ran = await body("await tools.read_file(); console.log('after');");
    expect(ran.lines).toEqual(["after"]);
  });

  it.each([
    ["export const a = 1;", "has no default export"],
    ['export default "text";', "a default export that is a string"],
    ["export default null;", "a default export that is null"],
  ])("R-147 fails the state when there is none to call: %s", async (source, reason) => {
    expect(reasonOf(await run(source), "no-default-export")).toContain(reason);
  });

  it("R-147 gets variables that are frozen all the way down", async () => {
    const input = { state: "s", trigger: "t", variables: { a: { b: [{ c: 1 }] }, empty: {} } };
    const ran = await body(
      `for (const change of [
         () => { variables.x = 1; }, () => { variables.a.b.push(2); }, () => { variables.a.b[0].c = 2; },
         () => { variables.empty.x = 1; },
       ]) try { change(); console.log("changed"); } catch (error) { console.log(error.name); }`,
      { input },
    );
    expect(ran.lines).toEqual(["TypeError", "TypeError", "TypeError", "TypeError"]);
  });

  it("R-254 may come after a top-level await", async () => {
    const ran = await run("const n = await Promise.resolve(2);\nexport default () => console.log(n);");
    expect(ran.lines).toEqual(["2"]);
  });

  it.each([
    'import { defineCodeState as d } from "parkway/sandbox";',
    'import * as h from "@archmax-ai/harness/sandbox"; const d = h.defineCodeState;',
  ])("R-310 may be wrapped in the helper of %s", async (line) => {
    const ran = await run(`${line}\nexport default d(() => { console.log("ran"); });`);
    expect(ran).toMatchObject({ result: OK, lines: ["ran"] });
  });
});

describe("tools", () => {
  it("R-148 are there under exact and camelCase names, and nothing else is", async () => {
    const ran = await body(`
      console.log(Object.keys(tools).join());
      console.log(tools.write_file, tools.constructor, tools.toString, tools.task, tools.then);
      console.log(await tools.readFile({ path: "a" }));
      console.log(await tools.archmaxWorkflowEnrichOrder());
      console.log(await tools["archmax_workflow_enrich-order"](undefined));`);
    expect(ran.lines).toEqual([
      "read_file,archmax_advance,archmax_workflow_enrich-order,readFile,archmaxAdvance,archmaxWorkflowEnrichOrder",
      "undefined undefined undefined undefined undefined",
      'read_file {"path":"a"}',
      "archmax_workflow_enrich-order {}",
      "archmax_workflow_enrich-order {}",
    ]);
    expect(ran.calls.map((call) => [call.name, call.index])).toEqual([
      ["read_file", 1],
      ["archmax_workflow_enrich-order", 2],
      ["archmax_workflow_enrich-order", 3],
    ]);
  });

  it.each(["null", "[]", '"text"', "1", "() => {}", "({ toJSON: () => 1 })", "({ toJSON() {} })", "({ n: 1n })"])(
    "R-148 reject the argument %s without calling the host",
    async (argument) => {
      const ran = await body(`await tools.read_file(${argument}).catch((error) => console.log(error.name));`);
      expect(ran).toMatchObject({ result: OK, lines: ["TypeError"], calls: [] });
    },
  );

  it("R-149 reject a refused call with the reason, the rule and the tool, and the script may go on", async () => {
    const ran = await body(
      `try { await tools.read_file(); } catch (error) {
        console.log(error instanceof Error, error.message, error.ruleId, error.tool);
      }
      await tools.archmaxAdvance({ to: "done" });`,
      {
        answer: ({ name }) =>
          name === "read_file"
            ? { ok: false, message: "Not in this state.", ruleId: "tool.not-granted", tool: name }
            : { ok: true, text: "moved" },
      },
    );
    expect(ran.result).toEqual(OK);
    expect(ran.lines).toEqual(["true Not in this state. tool.not-granted read_file"]);
    expect(ran.calls).toHaveLength(2);
  });

  it("R-149 fail the state with the reason and the line of the call when nobody catches", async () => {
    const ran = await body("await null;\nawait tools.read_file();", {
      answer: () => ({ ok: false, message: "Not in this state.", tool: "read_file" }),
    });
    expect(reasonOf(ran, "threw")).toBe("Error: Not in this state. (scripts/a.js:3)");
  });

  it("R-149 reject when the host's function throws, in spite of its promise", async () => {
    const ran = await body("await tools.read_file().catch((error) => console.log(error.message, error.tool));", {
      answer: () => {
        throw new Error("disk gone");
      },
    });
    expect(ran.lines).toEqual(["disk gone read_file"]);
  });

  it("F-91 R-259 work ten in a row and ten in parallel in one script, each settling by itself", async () => {
    const waiting: (() => void)[] = [];
    const ran = await body(
      `for (let i = 0; i < 10; i += 1) await tools.read_file({ i });
       const all = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => tools.read_file({ i, together: true })));
       console.log(all.map((one) => one.value ?? one.reason.message).join());`,
      {
        answer: ({ args }) => {
          if (!args.together) return { ok: true, text: "" };
          const i = args.i as number;
          // Answered in reverse and only once all ten have arrived, which needs them to be concurrent.
          return new Promise((resolve) => {
            waiting.unshift(() =>
              resolve(i === 3 ? { ok: false, message: "no", tool: "t" } : { ok: true, text: `${i}` }),
            );
            if (waiting.length === 10) for (const settle of waiting) settle();
          });
        },
      },
    );
    expect(ran.result).toEqual(OK);
    expect(ran.lines).toEqual(["0,1,2,no,4,5,6,7,8,9"]);
    expect(ran.calls.map(({ index }) => index)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
  });

  it("keep every character of arguments, answers and lines", async () => {
    const text = "a\u0000b\ud800 é😀\u2028";
    const ran = await body('console.log((await tools.read_file({ text: "a\\0b\\ud800 é😀\\u2028" })));', {
      answer: ({ args }) => ({ ok: true, text: String(args.text) }),
    });
    expect(ran.calls[0]?.args).toEqual({ text });
    expect(ran.lines).toEqual([text]);
  });
});

describe("failures", () => {
  it.each([
    ['\nthrow new TypeError("wrong");', "TypeError: wrong (scripts/a.js:3)"],
    ['throw "text";', 'The script threw "text"'],
    ["throw { a: 1 };", 'The script threw {"a":1}'],
    ["throw null;", "The script threw null"],
    ["nothing();", "ReferenceError: 'nothing' is not defined (scripts/a.js:2)"],
    ["throw { get name() { throw 1; }, toJSON() { throw 2; } };", "The script threw [object that cannot be shown]"],
  ])("R-256 tell name, message and line: %s", async (code, reason) => {
    expect(reasonOf(await body(code), "threw")).toBe(reason);
  });

  it("R-256 tell of a throw at the top level, before or after an await", async () => {
    expect(reasonOf(await run("\nthrow new Error('x');\nexport default 1;"), "threw")).toBe(
      "Error: x (scripts/a.js:2)",
    );
    expect(reasonOf(await run("await 1;\n\nthrow new Error('x');"), "threw")).toBe("Error: x (scripts/a.js:3)");
    expect(reasonOf(await run('JSON.parse("{");'), "threw")).toContain("SyntaxError");
  });

  it("R-151 keeps line numbers right after a removed import", async () => {
    const ran = await run(
      'import {\n  defineCodeState,\n} from "parkway/sandbox";\nexport default defineCodeState(() => {\n  throw new Error("x");\n});',
    );
    expect(reasonOf(ran, "threw")).toBe("Error: x (scripts/a.js:5)");
  });

  it("R-256 tell what the engine cannot parse although the host's parser can", async () => {
    expect(reasonOf(await run("export default () => {\n  using x = null;\n};"), "syntax")).toContain("scripts/a.js:2");
  });

  it.each([
    `try { await eval("import('node:fs')"); } catch {}`,
    `try { await new Function("return import('node:fs')")(); } catch {}`,
    `try { globalThis["require"]("node:fs"); } catch {}`,
  ])("W-284 fail the state for an import that only running shows, caught or not: %s", async (code) => {
    expect(reasonOf(await body(`${code}\nawait tools.read_file();`), "import")).toContain('"node:fs"');
  });

  it("R-152 F-88 leave nothing behind for the next run", async () => {
    await body("globalThis.left = 1; Array.prototype.map = null; Object.prototype.dirt = 1; JSON.parse = null;");
    const ran = await body("console.log(typeof left, typeof [].map, typeof ({}).dirt, typeof JSON.parse);");
    expect(ran.lines).toEqual(["undefined function undefined function"]);
  });
});

describe("limits", () => {
  it("W-40 R-260 reject the call over the number to the script, refused calls counted", async () => {
    const ran = await body(
      `for (let i = 0; i < 4; i += 1) await tools.read_file().catch((error) => console.log(error.message, error.tool));`,
      { limits: { maxPtcCalls: 2 }, answer: () => ({ ok: false, message: "refused", tool: "read_file" }) },
    );
    expect(ran.result).toEqual(OK);
    expect(ran.calls).toHaveLength(2);
    expect(ran.lines.map((line) => line.includes("at most") || line.includes("may make 2"))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  it("R-260 fail the state with the kind calls when that rejection is not caught", async () => {
    const ran = await body("await tools.read_file(); await tools.read_file();", { limits: { maxPtcCalls: 1 } });
    expect(reasonOf(ran, "calls")).toContain("settings.maxPtcCalls");
  });

  it("R-260 leave calls unbounded for null", async () => {
    const ran = await body("for (let i = 0; i < 300; i += 1) await tools.read_file();", {
      limits: { maxPtcCalls: null },
    });
    expect(ran).toMatchObject({ result: OK });
    expect(ran.calls).toHaveLength(300);
  });

  it.each([
    ["a loop", "for (;;) {}"],
    ["a loop that catches", "for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }"],
    ["a loop in promise jobs", "for (;;) await null;"],
    ["a wait for a tool", "await tools.read_file();"],
  ])("R-153 F-92 end %s at the deadline", async (_name, code) => {
    const ran = await body(code, { limits: { timeoutMs: 100 }, answer: () => new Promise(() => {}) });
    expect(reasonOf(ran, "timeout")).toContain("100 ms");
    expect((await body("")).result).toEqual(OK);
  });

  it("F-92 end a wait for a promise that never settles", async () => {
    reasonOf(await body("await new Promise(() => {});", { limits: { timeoutMs: 100 } }), "timeout");
    reasonOf(await run("await new Promise(() => {});\nexport default 1;", { limits: { timeoutMs: 100 } }), "timeout");
  });
});

describe("a run that is over", () => {
  it("R-263 ends at once when the signal fires, and before it starts when it has fired", async () => {
    const stop = new AbortController();
    const answer = () => {
      stop.abort();
      return new Promise<never>(() => {});
    };
    const first = await body("try { await tools.read_file(); } finally { await tools.read_file(); }", {
      signal: stop.signal,
      answer,
    });
    const second = await body("await tools.read_file();", { signal: stop.signal });
    reasonOf(first, "aborted");
    reasonOf(second, "aborted");
    expect(first.calls).toHaveLength(1);
    expect(second.calls).toHaveLength(0);
    expect((await body("")).result).toEqual(OK);
  });

  it("R-263 ends a busy script too", async () => {
    const stop = new AbortController();
    const ran = body("console.log('in'); for (;;) {}", { signal: stop.signal, onLine: () => stop.abort() });
    reasonOf(await ran, "aborted");
  });

  it("makes no further call and drops late answers", async () => {
    let answerLate: () => void = () => {};
    const first = await body("tools.read_file().then(() => tools.archmax_advance());", {
      answer: () =>
        new Promise((resolve) => {
          answerLate = () => resolve({ ok: true, text: "late" });
        }),
    });
    const second = body("console.log(await tools.read_file());", {
      answer: async () => {
        answerLate();
        return { ok: true, text: "mine" };
      },
    });
    expect((await second).lines).toEqual(["mine"]);
    expect(first.calls).toHaveLength(1);
  });

  it("closes with its runs aborted and takes no new ones", async () => {
    const other = aSandbox();
    const ran = other.body("await tools.read_file();", {
      answer: () => {
        void other.close();
        return new Promise(() => {});
      },
    });
    reasonOf(await ran, "aborted");
    reasonOf(await other.body(""), "aborted");
  });
});

describe("the guest's surroundings", () => {
  it("R-252 have no way out but the tools", async () => {
    const names = [
      "process",
      "fetch",
      "setTimeout",
      "WebAssembly",
      "Worker",
      "postMessage",
      "std",
      "os",
      "Deno",
      "Buffer",
    ];
    const ran = await body(`console.log(${names.map((name) => `typeof ${name}`).join()});`);
    expect(ran.lines).toEqual([names.map(() => "undefined").join(" ")]);
  });

  it("R-252 S-47 have a clock that begins at startAt and goes on", async () => {
    const ran = await body(
      `const first = Date.now(); while (Date.now() < first + 5); console.log(first, new Date().getTime() - first, new Date(0).toISOString());`,
    );
    const [first, passed, epoch] = ran.lines[0]!.split(" ");
    expect(Number(first) - 1_700_000_000_000).toBeLessThan(2_000);
    expect(Number(first)).toBeGreaterThanOrEqual(1_700_000_000_000);
    expect(Number(passed)).toBeGreaterThanOrEqual(5);
    expect(epoch).toBe("1970-01-01T00:00:00.000Z");
  });

  it("S-47 give the same random numbers for the same seed and others for another", async () => {
    const draw = async (seed: number) => (await body("console.log(Math.random(), Math.random());", { seed })).lines[0]!;
    const [first, again, other, high] = [await draw(7), await draw(7), await draw(8), await draw(7 + 2 ** 40)];
    expect(again).toBe(first);
    expect(new Set([first, other, high]).size).toBe(3);
    for (const value of first.split(" ")) expect(Number(value)).toBeLessThan(1);
    expect(new Set(first.split(" ")).size).toBe(2);
  });

  it("R-154 print one line each through every console function", async () => {
    const ran = await body(`
      console.log("a", 1, undefined, null, true, 2n, Symbol("s"), [1], { b: 2 });
      console.info("i"); console.warn("w"); console.error(new TypeError("e")); console.debug(function f() {});
      const ring = {}; ring.ring = ring; console.log(ring);
      console.log("one\\ntwo"); console.log();`);
    expect(ran.lines).toEqual([
      'a 1 undefined null true 2n Symbol(s) [1] {"b":2}',
      "i",
      "w",
      "TypeError: e",
      "[Function f]",
      "[object that cannot be shown]",
      "one",
      "two",
      "",
    ]);
  });

  it("cut a long line and stop a flood with one notice", async () => {
    const long = await body('console.log("x".repeat(200000));');
    expect(long.lines[0]).toMatch(/^x{8000}… \(192000 more characters\)$/);
    const flood = await body("for (let i = 0; i < 12000; i += 1) console.log(i);");
    expect(flood.result).toEqual(OK);
    expect(flood.lines).toHaveLength(10_001);
    expect(flood.lines.at(-1)).toContain("further lines are dropped");
  });
});

it("survives a host that throws at a printed line", async () => {
  const ran = await body("console.log('x'); await tools.read_file();", {
    onLine: () => {
      throw new Error("full");
    },
  });
  expect(reasonOf(ran, "engine")).toContain("full");
  expect((await body("")).result).toEqual(OK);
});

it("runs more scripts at once than it keeps workers, so that one may wait for another", async () => {
  const ran = await body("console.log(await tools.read_file());", {
    answer: async () => {
      const inner = await body("console.log('inner');");
      return { ok: true, text: inner.lines.join() };
    },
  });
  expect(ran.lines).toEqual(["inner"]);
});
