import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { aRepl, aSandbox, type ReplOptions } from "./sandbox.fixture.js";
import type { Repl } from "./types.js";

vi.setConfig({ testTimeout: 120_000 });

const sandbox = aSandbox();
const open: Repl[] = [];
const repl = (options: ReplOptions = {}) => {
  const opened = aRepl(sandbox, options);
  open.push(opened.repl);
  return opened;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((opened) => opened.close()));
});
afterAll(() => sandbox.close());

describe("names", () => {
  it("R-253 stay from one evaluation to the next", async () => {
    const { texts } = repl();

    expect(
      await texts(
        "const a = 1; let b = 2; var c = 3; class D { d = 4 } function e() { return a; } f = 6; const [g, { h = 8 }] = [7, {}];",
        "[a, b, c, new D().d, e(), f, g, h]",
      ),
    ).toEqual(["6", "[1,2,3,4,1,6,7,8]"]);
  });

  it("R-311 may be declared again, and the later declaration takes their place", async () => {
    const { texts } = repl();
    const script =
      "const a = [1]; let b; class C { c() { return 3; } } function d() { return 4; }\na.push(b = 2); [a, new C().c(), d()]";

    expect(
      await texts(
        script,
        script,
        "let b; class C { c = 5 }\nclass D {}\n[b, new C().c].join()",
        "function a() { return 6; }\na()",
      ),
    ).toEqual(["[[1,2],3,4]", "[[1,2],3,4]", ",5", "6"]);
  });

  it("R-253 of one REPL are not seen by another nor by a code state", async () => {
    const [one, other] = [repl(), repl()];
    await one.evaluate("globalThis.left = 1; Object.prototype.dirt = 1;");

    expect(await other.texts("typeof left + typeof ({}).dirt")).toEqual(["undefinedundefined"]);
    expect((await sandbox.body("console.log(typeof left + typeof ({}).dirt);")).lines).toEqual(["undefinedundefined"]);
    await one.repl.close();
    expect(await repl().texts("typeof left")).toEqual(["undefined"]);
  });

  it("R-253 say whether there are any, and whether the engine was new", async () => {
    const { evaluate } = repl();
    const told = async (code: string) => {
      const { fresh, holdsNames } = await evaluate(code);
      return { fresh, holdsNames };
    };

    expect(await told("1 + 1")).toEqual({ fresh: true, holdsNames: false });
    expect(await told("{ let inner = 1; inner }")).toEqual({ fresh: false, holdsNames: false });
    expect(await told("const a = 1; throw new Error('late');")).toEqual({ fresh: false, holdsNames: true });
    expect(await told("not a script")).toEqual({ fresh: false, holdsNames: true });
  });
});

describe("the result", () => {
  it.each([
    ["'a string'", "a string"],
    ["[1, { a: null }]", '[1,{"a":null}]'],
    ["undefined", ""],
    ["const a = 1;", ""],
    ["null", "null"],
    ["() => 1", ""],
    ["10n ** 20n", "100000000000000000000"],
    ["Promise.resolve(Promise.resolve(5))", "5"],
    ["const b = await Promise.resolve(2);\nb * 2;", "4"],
    ["if (true) { 'then'; } else { 'else'; }", "then"],
    ["for await (const n of [1, 2]) n;", "2"],
    ["await tools.read_file({ a: 1 })", 'read_file {"a":1}'],
  ])("R-254 R-255 of %s is the text of its last expression's value, awaited", async (code, text) => {
    const { evaluate } = repl();
    expect(await evaluate(code)).toMatchObject({ status: "ok", text });
  });

  it("R-255 is cut at maxResultChars with the number of lost characters, and so is what was printed", async () => {
    const { evaluate } = repl({ limits: { maxResultChars: 10 } });

    const ran = await evaluate(
      "console.log('abcd'); console.info('efgh', 1); console.log('z'.repeat(200000)); '0123456789' + 'x'.repeat(5)",
    );
    const whole = await evaluate("console.error('0123456789'); '0123456789'");
    const pair = await evaluate("'012345678😀'");

    expect(ran).toMatchObject({
      text: "0123456789… (5 more characters)",
      printed: `abcd\nefgh … (${1 + 1 + 200_000} more characters)`,
    });
    expect(whole).toMatchObject({ text: "0123456789", printed: "0123456789" });
    expect(pair).toMatchObject({ text: "012345678… (2 more characters)" });
  });

  it("R-255 of a value that no JSON holds is an error", async () => {
    const { failed } = repl();
    expect(await failed("const a = {}; a.a = a; a")).toMatch(/^threw: TypeError: circular reference/);
  });
});

describe("failures", () => {
  it.each([
    ["\nthrow new TypeError('wrong');", "threw: TypeError: wrong (code:2)"],
    ["\n\nnothing();", "threw: ReferenceError: 'nothing' is not defined (code:3)"],
    ["await null;\nnothing();", "threw: ReferenceError: 'nothing' is not defined (code:2)"],
    ["const a = ;", "syntax: SyntaxError: Unexpected token (code:1)"],
    ["return 1;", "syntax: SyntaxError: 'return' outside of function (code:1)"],
    [
      "\nexport default 1;",
      "syntax: SyntaxError: This script exports nothing: its result is the value of its last expression (code:2)",
    ],
    [
      "\nimport fs from 'node:fs';",
      'import: A script cannot import anything but types: "node:fs" (code:2). Use the tools it is given instead.',
    ],
    [
      "await import('x');",
      'import: A script cannot import anything but types: "x" (code:1). Use the tools it is given instead.',
    ],
    ["await eval(`import('x')`);", 'threw: Error: A script cannot import "x". (code:1)'],
    ["globalThis['require']('x');", "threw: Error: A script cannot import anything: x (code:1)"],
    ["tools.nothing();", "threw: TypeError: not a function (code:1)"],
    [
      "await tools.read_file(null);",
      'threw: TypeError: The tool "read_file" takes one object; it was given null. (code:1)',
    ],
  ])("R-256 R-226 tell kind, name, message and line and leave the names: %j", async (code, told) => {
    const { failed, texts, evaluate } = repl();
    await evaluate("const kept = 'kept';");

    expect(await failed(code)).toBe(told);
    expect(await texts("kept")).toEqual(["kept"]);
  });

  it("R-256 keep what was printed before", async () => {
    const { evaluate } = repl({ limits: { timeoutMs: 300 } });
    expect(await evaluate("console.log('before'); throw new Error('x');")).toMatchObject({
      status: "error",
      printed: "before",
    });
    expect(await evaluate("console.log('before'); for (;;);")).toMatchObject({ kind: "timeout", printed: "before" });
  });

  it.each([
    ["a loop", { timeoutMs: 300 }, "for (;;);", "timeout"],
    ["a loop of promise jobs", { timeoutMs: 300 }, "for (;;) await null;", "timeout"],
    ["one endless built-in", { timeoutMs: 300 }, 'new Array(2 ** 31).join("abc");', "timeout"],
    ["a promise that nothing settles", {}, "await new Promise(() => {});", "timeout"],
    [
      "too much memory",
      { memoryLimitBytes: 32 * 1024 * 1024 },
      "const a = []; for (;;) a.push(new Uint8Array(1e5));",
      "memory",
    ],
  ])("F-88 F-90 F-92 R-260 throw the engine away after %s", async (_name, limits, code, kind) => {
    const { evaluate } = repl({ limits });
    await evaluate("const kept = 1;");

    const broke = await evaluate(code);
    const next = await evaluate("typeof kept");

    expect(broke).toMatchObject({ status: "error", kind, fresh: false, holdsNames: false });
    expect(next).toMatchObject({ status: "ok", text: "undefined", fresh: true });
  });

  it.each([
    ["endless recursion", "const f = () => f() + 1; f();"],
    ["deep code", 'eval("(".repeat(100000) + ")".repeat(100000));'],
    ["a deep result", "let o = {}; for (let i = 0; i < 100000; i += 1) o = { o }; o"],
    ["a proxy of proxies", "let p = {}; for (let i = 0; i < 100000; i += 1) p = new Proxy(p, {}); p.x;"],
  ])("F-89 fail for %s with a reason, and the next evaluation works", async (_name, code) => {
    const { failed, texts } = repl();
    expect(await failed(code)).toMatch(/^threw: \w/);
    expect(await texts("1 + 1")).toEqual(["2"]);
  });
});

describe("args and variables", () => {
  it("R-257 are what was passed and a frozen snapshot of each evaluation's start", async () => {
    const { evaluate } = repl();
    const look =
      "[args.a, args.variables, Object.isFrozen(args.variables.v), (() => { 'use strict'; try { args.variables.v.push(1) } catch (e) { return e.name } })()]";

    const first = await evaluate(look, { args: { a: 1, variables: "mine" }, variables: { v: [1] } });
    const second = await evaluate(look, { variables: { v: [2] } });

    expect(first).toMatchObject({ text: '[1,{"v":[1]},true,"TypeError"]' });
    expect(second).toMatchObject({ text: '[null,{"v":[2]},true,"TypeError"]' });
  });
});

describe("tools", () => {
  it("R-258 are one object that shows each evaluation its own tools", async () => {
    const { evaluate } = repl();
    const names = (code: string, tools: string[]) => evaluate(code, { tools });

    await names("const kept = tools;", ["read_file"]);
    const next = await names("[kept === tools, Object.keys(kept), kept.read_file]", ["write_file", "a_b", "a-b"]);

    expect(next).toMatchObject({ text: '[true,["write_file","a_b","a-b","writeFile"],null]' });
  });

  it.each([
    "tools = null; args = null;",
    "var tools = 1; function args() {}",
    "delete globalThis.tools; tools",
    "tools.read_file = null; delete tools.read_file; Object.defineProperty(tools, 'read_file', { value: null });",
    "Object.freeze(tools);",
    "Object.setPrototypeOf(tools, { write_file() {} });",
    "Object.prototype.get = () => null; Object.prototype.set = () => true; Object.prototype.value = 1;",
    "Array.prototype[Symbol.iterator] = null; Array.prototype.push = null;",
    "Object.keys = null; JSON.parse = null; JSON.stringify = null; Object.defineProperty = null; Proxy = null; Reflect.ownKeys = null; Promise.prototype.then = null;",
  ])("R-258 come back whatever an evaluation did to them: %s", async (damage) => {
    const { evaluate } = repl();
    await evaluate("const kept = 1;");
    await evaluate(damage);

    const next = await evaluate(
      "const text = await tools.read_file({ n: args.n }); [text, typeof tools.write_file, typeof kept].join()",
      { args: { n: 1 } },
    );

    expect(next).toMatchObject({ status: "ok", text: 'read_file {"n":1},undefined,number', fresh: false });
  });

  it.each([
    "Object.defineProperty(globalThis, 'tools', { value: null, writable: false, configurable: false });",
    "Object.freeze(globalThis);",
  ])("R-258 come back to a script that has locked the global object: %s", async (damage) => {
    const { evaluate } = repl();
    await evaluate(damage);

    expect(await evaluate("await tools.read_file()")).toMatchObject({ text: "read_file {}" });
  });

  it("R-258 come back in a new engine where nothing else helps", async () => {
    const { evaluate } = repl();
    await evaluate("const kept = 1; Object.defineProperty(Array.prototype, 0, { set() { throw 1; } });");

    const next = await evaluate("[await tools.read_file(), typeof kept].join()");

    expect(next).toMatchObject({ text: "read_file {},undefined", fresh: true });
  });

  it("R-259 F-91 called together run together, each succeeding or failing by itself", async () => {
    const waiting: (() => void)[] = [];
    const { evaluate, calls } = repl({
      answer: ({ args }) =>
        new Promise((resolve) => {
          const i = args.i as number;
          // Answered in reverse and only once all ten have arrived, which needs them to be concurrent.
          waiting.unshift(() =>
            resolve(i === 3 ? { ok: false, message: "no", tool: "t" } : { ok: true, text: `${i}` }),
          );
          if (waiting.length === 10) for (const settle of waiting) settle();
        }),
    });

    const ran = await evaluate(
      "const all = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => tools.read_file({ i })));\nall.map((one) => one.value ?? one.reason.message).join()",
    );

    expect(ran).toMatchObject({ text: "0,1,2,no,4,5,6,7,8,9" });
    expect(calls.map(({ index }) => index)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  it("R-227 reject with the reason, the rule and the tool", async () => {
    const { evaluate } = repl({
      answer: () => ({ ok: false, message: "Not here.", ruleId: "tool.not-granted", tool: "read_file" }),
    });

    const caught = await evaluate("try { await tools.read_file() } catch (e) { [e.message, e.ruleId, e.tool] }");
    const thrown = await evaluate("\nawait tools.read_file();");

    expect(caught).toMatchObject({ text: '["Not here.","tool.not-granted","read_file"]' });
    expect(thrown).toMatchObject({ kind: "threw", reason: "Error: Not here. (code:2)" });
  });

  it("R-260 count anew in each evaluation, and the call over the number rejects", async () => {
    const { evaluate, calls } = repl({ limits: { maxPtcCalls: 1 } });

    const over = await evaluate("await tools.read_file(); await tools.read_file();");
    const again = await evaluate("await tools.read_file()");

    expect(over).toMatchObject({ kind: "calls", fresh: true });
    expect(again).toMatchObject({ status: "ok", fresh: false });
    expect(calls.map(({ index }) => index)).toEqual([1, 1]);
  });

  it("drop the answer of a call that an earlier evaluation did not wait for", async () => {
    let answerLate: () => void = () => {};
    const { evaluate, calls } = repl({
      answer: ({ args }) => {
        answerLate();
        if (!args.late) return { ok: true, text: "mine" };
        return new Promise((resolve) => {
          answerLate = () => resolve({ ok: true, text: "late" });
        });
      },
    });
    await evaluate(
      "let seen; tools.read_file({ late: true }).then((text) => { seen = text; return tools.read_file(); }); 1",
    );

    expect(await evaluate("await tools.read_file() + await tools.read_file() + seen")).toMatchObject({
      text: "minemineundefined",
    });
    expect(calls).toHaveLength(3);
  });
});

describe("its life", () => {
  it("evaluates in the order of the calls", async () => {
    const { evaluate } = repl();
    const ran = await Promise.all([
      evaluate("var n = 1;"),
      evaluate("await tools.read_file(); n += 1;"),
      evaluate("n"),
    ]);
    expect(ran[2]).toMatchObject({ text: "2" });
  });

  it("S-47 has each evaluation's own clock and random numbers", async () => {
    const { evaluate } = repl();
    const code = "[Date.now(), Math.random()]";
    const draw = async (startAt: number, seed: number) => {
      const ran = await evaluate(code, { startAt, seed });
      return JSON.parse(ran.status === "ok" ? ran.text : "[]") as [number, number];
    };

    const [first, again, other] = [await draw(5_000_000, 7), await draw(1_000_000, 7), await draw(0, 8)];

    expect(again[1]).toBe(first[1]);
    expect(other[1]).not.toBe(first[1]);
    for (const [at, [now]] of [
      [5_000_000, first],
      [1_000_000, again],
      [0, other],
    ] as const) {
      expect(now).toBeGreaterThanOrEqual(at);
      expect(now).toBeLessThan(at + 60_000);
    }
  });

  it("R-263 ends at once when the signal fires, and begins anew afterwards", async () => {
    const stop = new AbortController();
    const { evaluate, calls } = repl({
      answer: () => {
        stop.abort();
        return new Promise<never>(() => {});
      },
    });

    const ended = await evaluate(
      "const kept = 1; try { await tools.read_file(); } finally { await tools.read_file(); }",
      { signal: stop.signal },
    );
    const refused = await evaluate("1", { signal: stop.signal });
    const next = await evaluate("typeof kept");

    expect([ended, refused]).toMatchObject([{ kind: "aborted" }, { kind: "aborted" }]);
    expect(calls).toHaveLength(1);
    expect(next).toMatchObject({ text: "undefined", fresh: true });
  });

  it("closes with its evaluations aborted, once or twice, and takes no new ones", async () => {
    const opened = repl({ answer: () => new Promise(() => {}) });
    const running = opened.evaluate("await tools.read_file()");
    const queued = opened.evaluate("1");

    await Promise.all([opened.repl.close(), opened.repl.close()]);

    expect(
      [await running, await queued, await opened.evaluate("1")].map((ran) => ran.status === "error" && ran.kind),
    ).toEqual(["aborted", "aborted", "aborted"]);
    expect(await repl().texts("1")).toEqual(["1"]);
  });

  it("ends with its sandbox", async () => {
    const other = aSandbox();
    const { evaluate, texts } = aRepl(other, { answer: () => new Promise(() => {}) });
    await texts("var a = 1");
    const running = evaluate("await tools.read_file()");
    await other.close();

    expect(await running).toMatchObject({ kind: "aborted" });
    expect(await evaluate("1")).toMatchObject({ kind: "aborted" });
  });
});
