import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { aSandbox, reasonOf } from "./sandbox.fixture.js";

// The attacks use up a memory limit or a stack; a busy machine may take long over it.
vi.setConfig({ testTimeout: 120_000 });

const sandbox = aSandbox();
const { body } = sandbox;
afterAll(() => sandbox.close());

// After every attack: the process is there, and so is a working engine.
afterEach(async () => {
  const ran = await body("console.log(await tools.read_file({ n: 1 }));");
  expect(ran.lines).toEqual(['read_file {"n":1}']);
  expect(Object.keys(Object.prototype)).toEqual([]);
});

describe("recursion and depth (F-89)", () => {
  it.each([
    ["endless recursion", "const f = () => f() + 1; f();"],
    ["endless async recursion", "const f = async () => { await f(); }; await f();"],
    ["deep JSON text", 'JSON.parse("[".repeat(100000) + "]".repeat(100000));'],
    ["a deep object made text", "let o = {}; for (let i = 0; i < 100000; i += 1) o = { o }; JSON.stringify(o);"],
    ["a deep argument", "let o = {}; for (let i = 0; i < 100000; i += 1) o = { o }; await tools.read_file(o);"],
    ["a deep array joined", "let a = []; for (let i = 0; i < 100000; i += 1) a = [a]; String(a);"],
    ["a deep pattern", 'new RegExp("(".repeat(100000) + ")".repeat(100000));'],
    ["deep code", 'eval("(".repeat(100000) + ")".repeat(100000));'],
    ["a getter that gets itself", "const o = { get o() { return this.o; } }; o.o;"],
    ["a proxy of proxies", "let p = {}; for (let i = 0; i < 100000; i += 1) p = new Proxy(p, {}); p.x;"],
  ])("F-89 fails the state for %s with a reason", async (_name, code) => {
    const ran = await body(code);
    expect(reasonOf(ran, "threw")).toMatch(/\w/);
    expect(ran.calls).toEqual([]);
  });

  it("F-89 refuses arguments deeper than the host wants to read", async () => {
    const ran = await body("let o = {}; for (let i = 0; i < 300; i += 1) o = { o }; await tools.read_file(o);");
    expect(reasonOf(ran, "threw")).toContain("deeper than 256");
  });

  it("F-88 keeps the result of a script that leaves a deep structure behind", async () => {
    const ran = await body(
      "let o = {}; for (let i = 0; i < 100000; i += 1) o = { o }; globalThis.kept = o; o.self = o;",
    );
    expect(ran.result).toEqual({ status: "ok" });
  });
});

describe("memory (F-90)", () => {
  it.each([
    ["objects", "const a = []; for (;;) a.push({});"],
    ["one long string", '"x".repeat(1e9);'],
    ["many strings", 'const a = []; for (let i = 0; ; i += 1) a.push("y".repeat(1e5) + i);'],
    ["one buffer", "new ArrayBuffer(1e9);"],
    ["many buffers", "const a = []; for (;;) a.push(new Uint8Array(1e5));"],
    ["a map", "const m = new Map(); for (let i = 0; ; i += 1) m.set(i, i);"],
    ["a filled array", "new Array(1e9).fill(0);"],
    ["promises", "const g = async () => { await 1; g(); g(); }; g(); await new Promise(() => {});"],
    ["a backtracking pattern", '"a".repeat(1e6).match(/(?:a|a)*b/);'],
  ])("F-90 fails the state for %s", async (_name, code) => {
    expect(reasonOf(await body(code, { limits: { memoryLimitBytes: 32 * 1024 * 1024 } }), "memory")).toContain(
      "33554432 bytes",
    );
  });

  it("F-90 holds a limit below what the engine starts with for each allocation", async () => {
    const limits = { memoryLimitBytes: 4 * 1024 * 1024 };
    expect(reasonOf(await body("new ArrayBuffer(6e6);", { limits }), "memory")).toContain("4194304 bytes");
    expect((await body("new ArrayBuffer(1e6);", { limits })).result).toEqual({ status: "ok" });
  });

  it("F-90 lets a script catch it and go on", async () => {
    const ran = await body(
      "try { const a = []; for (;;) a.push(new Uint8Array(1e5)); } catch { console.log('caught'); }",
    );
    expect(ran).toMatchObject({ result: { status: "ok" }, lines: ["caught"] });
  });

  it("bounds what open calls hold of the host's memory", async () => {
    const ran = await body(
      `const big = "x".repeat(7e6); const all = [];
       for (let i = 0; i < 6; i += 1) all.push(tools.read_file({ big }).catch((error) => error.message));
       console.log((await Promise.all(all)).filter((text) => text.startsWith("Too many")).length);
       await tools.read_file({ big: big + big }).catch((error) => console.log(error.message));`,
      { answer: () => ({ ok: true, text: "" }), limits: { memoryLimitBytes: 256 * 1024 * 1024 } },
    );
    expect(ran.lines).toEqual(["2", "The arguments are longer than 8000000 characters."]);
  });
});

describe("time (F-92)", () => {
  const limits = { timeoutMs: 150 };
  it.each([
    ["a catastrophic pattern", '/^(a+)+$/.test("a".repeat(60) + "b");'],
    ["slow built-ins in a loop", 'const s = "a".repeat(1e7); for (;;) s.indexOf("ab");'],
    ["one endless built-in", 'new Array(2 ** 31).join("abc");'],
    ["a thrown proxy that loops", "throw new Proxy({}, { get() { for (;;) {} }, getPrototypeOf() { for (;;) {} } });"],
    ["a toJSON that loops", "await tools.read_file({ toJSON() { for (;;) {} } });"],
    ["a getter of an argument that loops", "await tools.read_file({ get a() { for (;;) {} } });"],
    [
      "a message that loops",
      "const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;) {} } }); throw e;",
    ],
    ["a thenable that loops", "return { then() { for (;;) {} } };"],
    ["recursion that is caught and begun again", "const f = () => f(f()); for (;;) { try { f(); } catch {} }"],
  ])("F-92 ends %s", async (_name, code) => {
    reasonOf(await body(code, { limits }), "timeout");
  });
});

describe("escapes (R-252)", () => {
  it.each([
    ["constructor chains", 'const F = tools.read_file.constructor; console.log(await F("return typeof process")());'],
    [
      "the error's constructor",
      `try { null.x } catch (e) { console.log(e.constructor.constructor("return typeof process")()); }`,
    ],
    ["the console's constructor", 'console.log(console.log.constructor("return typeof process")());'],
    ["indirect eval", 'console.log((0, eval)("typeof process"));'],
    [
      "the caller's frame",
      "Error.prepareStackTrace = (_, frames) => frames; console.log(typeof new Error().stack?.[0]?.getThis?.()?.process);",
    ],
  ])("R-252 finds no host behind %s", async (_name, code) => {
    expect((await body(code)).lines).toEqual(["undefined"]);
  });

  it("R-252 cannot reach the host's prototypes through arguments", async () => {
    const ran = await body(
      `await tools.read_file(JSON.parse('{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}'));`,
    );
    expect(ran.calls[0]?.args).toBeInstanceOf(Object);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  it("R-149 does not show the guest more of a host error than its message", async () => {
    const ran = await body(
      "await tools.read_file().catch((error) => console.log(Object.keys(error).join(), /node:|\\/lib\\//.test(error.stack)));",
      {
        answer: () => {
          throw Object.assign(new Error("gone"), { secret: 1 });
        },
      },
    );
    expect(ran.lines).toEqual(["tool false"]);
  });

  it("R-258 tools cannot be changed and the guest's own damage stays its own", async () => {
    const ran = await body(
      `try { tools.read_file = null; } catch (error) { console.log(error.name); }
       JSON.stringify = () => "[]"; JSON.parse = () => null; Object.prototype.ok = true; Promise.prototype.then = null;
       WeakSet.prototype.has = () => true; String.prototype.slice = () => "";
       console.log(await tools.read_file({ a: 1 }));
       throw new Error("end");`,
    );
    expect(ran.lines).toEqual(["TypeError", 'read_file {"a":1}']);
    expect(reasonOf(ran, "threw")).toContain("Error: end");
  });

  it("reads arguments through getters, proxies and toJSON as plain JSON", async () => {
    const ran = await body(
      `await tools.read_file(new Proxy({ a: 1 }, {}));
       await tools.read_file({ get b() { return 2; }, f() {}, u: undefined, d: new Date(0) });
       await tools.read_file({ toJSON: () => ({ c: 3 }) });
       await tools.read_file({ get x() { throw new Error("mine"); } }).catch((error) => console.log(error.message));`,
    );
    expect(ran.calls.map(({ args }) => args)).toEqual([{ a: 1 }, { b: 2, d: "1970-01-01T00:00:00.000Z" }, { c: 3 }]);
    expect(ran.lines).toEqual(["mine"]);
  });
});
