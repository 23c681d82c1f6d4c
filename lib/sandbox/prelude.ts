/**
 * The guest's own set-up, evaluated in the engine before the script: console, seeded random, tools, the call of the
 * default export, a REPL's evaluations. It is JavaScript for QuickJS and runs inside the sandbox, so the script can disturb it but gains
 * nothing by that: what guards the host is in worker.ts. It takes the built-ins it needs before the script can change
 * them, and speaks to the worker in JSON text.
 *
 * Evaluates to a function of the worker's entrances that returns `{ answer, fail }`, `start` for a code state, and for a
 * REPL `begin` and `finish`, called before and after each evaluation.
 */
export const PRELUDE = String.raw`
(function (print, call, settle, foreign, configText) {
  "use strict";
  const { parse, stringify } = JSON;
  const { create, defineProperty, freeze, keys } = Object;
  const { ownKeys, defineProperty: tryToDefine } = Reflect;
  const { isArray } = Array;
  const { imul } = Math;
  const [TheError, TheTypeError, ThePromise, TheString, TheProxy, Errors] = [Error, TypeError, Promise, String, Proxy, WeakSet];
  const uncurry = (method) => Function.prototype.call.bind(method);
  const slice = uncurry(String.prototype.slice);
  const split = uncurry(String.prototype.split);
  const indexOf = uncurry(String.prototype.indexOf);
  const charCode = uncurry(String.prototype.charCodeAt);
  const has = uncurry(WeakSet.prototype.has);
  const add = uncurry(WeakSet.prototype.add);
  let config = parse(configText);

  const hidden = (target, name, value) =>
    defineProperty(target, name, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

  // ── Math.random: sfc32 over the seed's two words
  let a, b, c, d;
  const word = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  const sow = (seed) => {
    a = seed | 0, b = (seed / 4294967296) | 0, c = 0x9e3779b9, d = 1;
    for (let i = 0; i < 16; i += 1) word();
  };
  sow(config.seed);
  hidden(Math, "random", () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992);

  // ── console
  const MAX_PRINTED = 100000;
  const shown = (value) => {
    if (typeof value === "string") return value;
    try {
      if (value instanceof TheError) return value.name + ": " + value.message;
      if (typeof value === "function") return "[Function " + (value.name || "anonymous") + "]";
      if (typeof value === "bigint") return TheString(value) + "n";
      if (typeof value === "object" && value !== null) return stringify(value) ?? "[object]";
      return TheString(value);
    } catch {
      return "[object that cannot be shown]";
    }
  };
  const log = (...values) => {
    let text = "";
    for (let i = 0; i < values.length && text.length < MAX_PRINTED; i += 1) text += (i > 0 ? " " : "") + shown(values[i]);
    const lost = text.length - MAX_PRINTED;
    print(stringify(lost > 0 ? slice(text, 0, MAX_PRINTED) : text), lost > 0 ? lost : 0);
  };
  hidden(globalThis, "console", { log, info: log, warn: log, error: log, debug: log });

  hidden(globalThis, "require", function require(specifier) {
    const name = TheString(specifier);
    foreign(stringify(name));
    throw new TheError("A script cannot import anything: " + name);
  });

  // ── tools
  let pending = create(null);
  const overLimit = new Errors();
  let lastCall = 0;
  const kindOf = (value) => (value === null ? "null" : isArray(value) ? "an array" : "a " + typeof value);

  const toolFunction = (tool) =>
    async function (args = {}) {
      if (typeof args !== "object" || args === null || isArray(args)) {
        throw new TheTypeError('The tool "' + tool + '" takes one object; it was given ' + kindOf(args) + ".");
      }
      const text = stringify(args);
      if (typeof text !== "string" || text[0] !== "{") {
        throw new TheTypeError('The arguments of "' + tool + '" do not become a JSON object.');
      }
      // Made here rather than when the answer comes, so that its stack has the line of the call.
      const failure = new TheError("");
      return await new ThePromise((resolve, reject) => {
        const id = (lastCall += 1);
        pending[id] = { resolve, reject, failure };
        const refusal = call(id, tool, text);
        if (refusal !== undefined) answer(refusal);
      });
    };

  const answer = (text) => {
    const { call: id, ok, text: result, message, ruleId, tool, limit } = parse(text);
    const waiting = pending[id];
    if (waiting === undefined) return;
    delete pending[id];
    if (ok) return waiting.resolve(result);
    const { failure } = waiting;
    hidden(failure, "message", message);
    failure.tool = tool;
    if (ruleId !== undefined) failure.ruleId = ruleId;
    if (limit) add(overLimit, failure);
    waiting.reject(failure);
  };

  const tools = create(null);
  for (const [name, tool] of config.tools) defineProperty(tools, name, { value: toolFunction(tool), enumerable: true });
  freeze(tools);

  const freezeDeeply = (root) => {
    let open = { value: root, next: null };
    while (open !== null) {
      const { value } = open;
      open = open.next;
      if (typeof value !== "object" || value === null) continue;
      const names = keys(freeze(value));
      for (let i = 0; i < names.length; i += 1) open = { value: value[names[i]], next: open };
    }
    return root;
  };

  // ── the end
  const lineOf = (stack) => {
    if (typeof stack !== "string") return "";
    const at = indexOf(stack, config.file + ":");
    if (at < 0) return "";
    let end = at + config.file.length + 1;
    while (charCode(stack, end) >= 48 && charCode(stack, end) <= 57) end += 1;
    return " (" + slice(stack, at, end) + ")";
  };
  const describe = (error) => {
    if (error instanceof TheError) return TheString(error.name) + ": " + TheString(error.message) + lineOf(error.stack);
    return "The script threw " + (typeof error === "string" ? stringify(error) : shown(error));
  };
  const fail = (error) => {
    let kind = "threw", reason = "The script threw a value that cannot be described.";
    try {
      reason = slice(describe(error), 0, 2000);
      if (typeof error === "object" && error !== null) {
        if (has(overLimit, error)) kind = "calls";
        else if (error.name === "InternalError" && indexOf(error.message, "out of memory") === 0) kind = "memory";
        else if (error.name === "SyntaxError" && indexOf(error.stack, "    at " + config.file + ":") === 0) kind = "syntax";
      }
    } catch {}
    const nothing = error === null || error === undefined;
    settle(stringify({ __proto__: null, status: "error", kind, reason, nothing, holdsNames: holdsNames() }));
  };

  const { state, trigger } = config;
  const variables = freezeDeeply(config.variables);
  const start = async (loaded) => {
    try {
      const main = (await loaded).default;
      if (typeof main !== "function") {
        const found = main === undefined ? "has no default export" : "has a default export that is " + kindOf(main);
        const reason = config.file + " " + found + "; it needs \"export default async function ({ tools }) { … }\".";
        return settle(stringify({ status: "error", kind: "no-default-export", reason }));
      }
      await main({ state, trigger, variables, tools });
    } catch (error) {
      return fail(error);
    }
    settle('{"status":"ok"}');
  };

  // ── a REPL
  let builtIn = 0;
  const holdsNames = () => builtIn > 0 && ownKeys(globalThis).length > builtIn;
  // Behind a proxy, because a script that froze the object itself would keep a later one from its own tools.
  const surface = create(null);
  const never = () => false;
  const shut = { __proto__: null, set: never, defineProperty: never, deleteProperty: never, preventExtensions: never, setPrototypeOf: never };
  const scoped = new TheProxy(surface, shut);
  const restore = (name, value) => {
    const whole = { __proto__: null, value, writable: true, enumerable: false, configurable: true };
    // What a script declares itself (function tools() {}) can be given a value and nothing else.
    if (tryToDefine(globalThis, name, whole) || tryToDefine(globalThis, name, { __proto__: null, value })) return;
    throw new TheTypeError(name);
  };
  const begin = (text) => {
    config = parse(text);
    sow(config.seed);
    pending = create(null);
    const old = keys(surface);
    for (let i = 0; i < old.length; i += 1) delete surface[old[i]];
    for (let i = 0; i < config.tools.length; i += 1) {
      const value = toolFunction(config.tools[i][1]);
      defineProperty(surface, config.tools[i][0], { __proto__: null, value, enumerable: true, configurable: true });
    }
    const { args } = config;
    defineProperty(args, "variables", { __proto__: null, value: freezeDeeply(config.variables), enumerable: true });
    restore("tools", scoped);
    restore("args", args);
    if (builtIn === 0) builtIn = ownKeys(globalThis).length;
  };
  const resultText = (value) => {
    if (typeof value === "string") return value;
    return typeof value === "bigint" ? TheString(value) : (stringify(value) ?? "");
  };
  const finish = async (evaluated) => {
    let text;
    try {
      text = resultText(await (await evaluated).value);
    } catch (error) {
      return fail(error);
    }
    const lost = text.length - config.maxResultChars;
    if (lost > 0) text = slice(text, 0, config.maxResultChars);
    settle(stringify({ __proto__: null, status: "ok", text, lost: lost > 0 ? lost : 0, holdsNames: holdsNames() }));
  };
  return { start, answer, fail, begin, finish };
})
`;
