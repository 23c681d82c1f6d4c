/**
 * The worker thread: one QuickJS evaluation at a time. A code state's run has an engine instance of its own, the
 * evaluations of a REPL share the one the worker holds.
 *
 * The file is started as it is by Node (types stripped) or compiled, so it imports no sibling at run time and uses
 * erasable syntax only. An engine instance is never freed, only dropped: freeing one whose guest misbehaved can abort,
 * and its memory goes with it either way (F-88).
 */

import { parentPort, workerData } from "node:worker_threads";
import baseVariant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import type { FromWorker, ReplAfter, ToWorker, WorkerOutcome, WorkerRun, WorkerStart } from "./protocol.js";
import type { SandboxFailure } from "./types.js";

const PAGE_BYTES = 65_536;
/** The prebuilt engine asks for 16 MiB to start; a lower limit holds only for each single allocation. */
const MIN_PAGES = 256;
/** 2 GiB, the most the prebuilt engine can address. */
const MAX_PAGES = 32_768;
/** Larger ones let a guest overflow the thread's native stack inside a built-in (F-89). */
const STACK_LIMIT_BYTES = 256 * 1024;
/** Jobs run before the thread looks at its messages again. */
const JOBS_PER_SLICE = 1_000;
const MAX_TIMER_MS = 2_147_483_647;
/** QuickJS's JS_EVAL_FLAG_ASYNC: a script with top-level await, evaluating to a promise of `{ value }`. */
const SCRIPT_WITH_AWAIT = 1 << 7;

const MAX_LINE_CHARS = 8_000;
const MAX_LINES = 10_000;
const MAX_OUTPUT_CHARS = 1_000_000;
const MAX_ARGUMENT_CHARS = 8_000_000;
const MAX_ARGUMENT_DEPTH = 256;
/** What calls not yet answered may hold of the host's memory. */
const MAX_OPEN_CALLS = 1_000;
const MAX_OPEN_CHARS = 32_000_000;

// The package's types describe its CommonJS build, whose default is one level deeper.
const variant = baseVariant as unknown as QuickJSSyncVariant;
// Node's types have no WebAssembly.
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: MemoryClass } }).WebAssembly;
type MemoryClass = new (limits: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };

const { wasm, prelude } = workerData as WorkerStart;
const port = parentPort!;
const send = (message: FromWorker) => port.postMessage(message);

/** The running evaluation; answers to any other are dropped. */
let current: { run: number; answer(text: string): void } | null = null;

port.on("message", (message: ToWorker) => {
  if (message.type === "answer") {
    if (current?.run === message.run) current.answer(message.answer);
    return;
  }
  if (message.type === "forget") {
    if (held) prepareSpare(held.limitBytes);
    held = null;
    return;
  }
  evaluate(message).catch((error) => {
    current = null;
    held = null;
    send({ type: "done", run: message.run, outcome: failed("engine", `The sandbox failed: ${String(error)}`) });
  });
});
send({ type: "ready" });

/** What the prelude says at the end; `nothing` marks an error value of null, which a full memory can produce. */
type Told = WorkerOutcome & { nothing?: boolean; holdsNames?: boolean };

/** The worker's side of what the prelude may call. */
type Entrances = Record<"print" | "call" | "settle" | "foreign", (...args: string[]) => unknown>;
type Guest = Record<"start" | "answer" | "fail" | "begin" | "finish", QuickJSHandle>;

interface Engine {
  memory: { readonly buffer: ArrayBuffer };
  limitBytes: number;
  pages: number;
  runtime: QuickJSRuntime;
  context: QuickJSContext;
  /** The prelude, not yet called. */
  setUp: QuickJSHandle;
  /** The prelude's functions, once it has been called. */
  guest: Guest | null;
  /** Those of the evaluation under way. */
  entrances: Entrances;
}

/** The engine of the REPL that this worker serves. */
let held: Engine | null = null;

/** The next evaluation's engine, made while the thread is idle: instantiating one is half of a short run. */
let spare: Promise<Engine> | null = null;

function prepareSpare(limitBytes: number): void {
  setImmediate(() => {
    spare = createEngine(limitBytes);
    spare.catch(() => {});
  });
}

async function takeEngine(limitBytes: number): Promise<Engine> {
  const ready = await spare;
  spare = null;
  return ready?.limitBytes === limitBytes ? ready : createEngine(limitBytes);
}

/** A fresh instance with a memory of its own. The engine's own limit is loose, the memory's size is the real bound (F-90). */
async function createEngine(limitBytes: number): Promise<Engine> {
  const pages = Math.min(Math.max(Math.floor(limitBytes / PAGE_BYTES), MIN_PAGES), MAX_PAGES);
  const memory = new Memory({ initial: MIN_PAGES, maximum: pages });
  const emscriptenModule = { print: () => {}, printErr: () => {} };
  const options: object = { wasmModule: wasm, wasmMemory: memory, emscriptenModule };
  const module = await newQuickJSWASMModuleFromVariant(newVariant(variant, options));
  const runtime = module.newRuntime();
  runtime.setMemoryLimit(limitBytes);
  runtime.setMaxStackSize(STACK_LIMIT_BYTES);
  const context = runtime.newContext();
  const setUp = context.unwrapResult(context.evalCode(prelude, "sandbox"));
  const nowhere = () => undefined;
  const entrances = { print: nowhere, call: nowhere, settle: nowhere, foreign: nowhere };
  return { memory, limitBytes, pages, runtime, context, setUp, guest: null, entrances };
}

async function evaluate(run: WorkerRun): Promise<void> {
  const isRepl = run.type === "evaluate";
  const isFresh = !isRepl || held === null;
  const engine = isRepl && held ? held : await takeEngine(run.memoryLimitBytes);
  const { runtime, context, memory } = engine;

  send({ type: "started", run: run.run });
  const startedAt = performance.now();
  const deadline = startedAt + run.timeoutMs;
  // The engine reads its clock here, so every way a script has to tell the time agrees (S-47).
  Date.now = () => Math.floor(run.startAt + (performance.now() - startedAt));

  const isLate = () => performance.now() >= deadline;
  const isFull = () => memory.buffer.byteLength >= engine.pages * PAGE_BYTES * 0.9;
  const timeout = () => failed("timeout");
  const outOfMemory = () => failed("memory");

  let outcome: WorkerOutcome | null = null;
  let ended = false;
  let isBroken = false;
  let hasBegun = false;
  let holdsNames = false;
  const timer = setTimeout(() => end(timeout()), Math.min(run.timeoutMs, MAX_TIMER_MS));

  const end = (result: WorkerOutcome) => {
    if (ended) return;
    ended = true;
    clearTimeout(timer);
    current = null;
    if (!isRepl) {
      send({ type: "done", run: run.run, outcome: result });
      return prepareSpare(run.memoryLimitBytes);
    }
    const isWhole = !isBroken && !isFull() && (result.status === "ok" || HARMLESS.has(result.kind));
    held = isWhole ? engine : null;
    if (!isWhole) prepareSpare(run.memoryLimitBytes);
    const after: ReplAfter = {
      engine: isWhole ? "kept" : hasBegun || isFresh ? "lost" : "unusable",
      fresh: isFresh,
      holdsNames: isWhole && holdsNames,
      lostPrinted: printed.lost,
    };
    send({ type: "done", run: run.run, outcome: result, repl: after });
  };

  /** Runs guest code and whatever it set going, then sees whether the evaluation is over. */
  const step = (enter: () => void) => {
    if (ended) return;
    try {
      enter();
      if (outcome === null) runtime.executePendingJobs(JOBS_PER_SLICE).dispose();
    } catch (error) {
      const failure = crashed(error);
      outcome ??= failure;
    }
    if (outcome !== null) return end(outcome);
    if (isLate()) return end(timeout());
    if (runtime.hasPendingJob()) return void setImmediate(step, () => {});
    // No timers in the guest and no call open: nothing can ever happen again.
    if (calls.open === 0) end(isFull() ? outOfMemory() : stalled());
  };

  /** The engine itself gave up: its host stack overflowed, or it aborted. */
  const crashed = (error: unknown): WorkerOutcome => {
    isBroken = true;
    if (isLate()) return timeout();
    if (isFull()) return outOfMemory();
    if (error instanceof RangeError) {
      return failed("threw", `InternalError: stack overflow, the script recurses or nests too deeply (${run.file})`);
    }
    return failed("engine", `The engine failed while running ${run.file}: ${String(error)}`);
  };

  runtime.setInterruptHandler(() => outcome !== null || isLate());
  // A code state fails for an import, caught or not; a REPL's script gets the error.
  const foreign = (specifier: string) => {
    if (!isRepl) outcome ??= failed("import", specifier);
  };
  runtime.setModuleLoader((specifier) => {
    foreign(specifier);
    return { error: new Error(`A script cannot import "${specifier}".`) };
  });
  const emit = (line: string) => ended || send({ type: "line", run: run.run, line });
  const printed = isRepl ? collector(run.maxResultChars, emit) : { print: printer(emit), lost: 0 };
  const calls = callGate(run, (call, tool, args) => send({ type: "call", run: run.run, call, tool, args }));

  engine.entrances = {
    print: (line, lost) => outcome === null && printed.print(JSON.parse(line) as string, Number(lost)),
    call: (id, tool, args) => (outcome !== null || isLate() ? undefined : calls.enter(Number(id), tool, args)),
    foreign: (specifier) => foreign(JSON.parse(specifier) as string),
    settle: (text) => {
      outcome ??= isLate() ? timeout() : toldOutcome(JSON.parse(text) as Told);
    },
  };
  engine.guest ??= loadPrelude(engine, run.config);
  const { guest } = engine;

  const toldOutcome = ({ nothing, holdsNames: hasNames, ...told }: Told): WorkerOutcome => {
    holdsNames = hasNames === true;
    const isMemory = told.status === "error" && (told.kind === "memory" || (nothing && isFull()));
    return isMemory ? outOfMemory() : told;
  };

  /** Calls a function of the prelude. The guest's own failure in it, when not reported, ends the run. */
  const invoke = (fn: QuickJSHandle, argument: QuickJSHandle) => {
    const result = context.callFunction(fn, context.undefined, argument);
    // An engine that is used only once takes its memory with it.
    if (isRepl) for (const handle of [argument, result.error ?? result.value]) handle.dispose();
    if (!result.error) return;
    isBroken = true;
    if (outcome === null) {
      outcome = isLate()
        ? timeout()
        : isFull()
          ? outOfMemory()
          : failed("threw", "The script failed without an error.");
    }
  };

  current = {
    run: run.run,
    answer: (text) =>
      step(() => {
        calls.leave((JSON.parse(text) as { call: number }).call);
        invoke(guest.answer, context.newString(text));
      }),
  };
  step(() => {
    if (isRepl) invoke(guest.begin, context.newString(run.config));
    if (outcome !== null) return;
    hasBegun = true;
    const loaded = context.evalCode(run.source, run.file, isRepl ? SCRIPT_WITH_AWAIT : { type: "module" });
    if (loaded.error) invoke(guest.fail, loaded.error);
    else invoke(isRepl ? guest.finish : guest.start, loaded.value);
  });
}

/** Kinds of failure after which an engine works as before. */
const HARMLESS: ReadonlySet<SandboxFailure> = new Set<SandboxFailure>(["threw", "calls", "syntax"]);

function loadPrelude(engine: Engine, config: string): Guest {
  const { context, setUp } = engine;
  const entrance = (name: keyof Entrances) =>
    context.newFunction(name, (...handles) => {
      // An exception of the host's must not reach the guest, which would read its message.
      try {
        const result = engine.entrances[name](...handles.map((handle) => context.getString(handle)));
        return typeof result === "string" ? context.newString(result) : context.undefined;
      } catch {
        return context.undefined;
      }
    });
  const names = ["print", "call", "settle", "foreign"] as const;
  const args = [...names.map(entrance), context.newString(config)];
  const guest = context.unwrapResult(context.callFunction(setUp, context.undefined, ...args));
  const part = (name: string) => context.getProp(guest, name);
  return {
    start: part("start"),
    answer: part("answer"),
    fail: part("fail"),
    begin: part("begin"),
    finish: part("finish"),
  };
}

/** Printed text by line, within bounds; the first line past them is replaced by one notice. */
function printer(emit: (line: string) => void): (text: string, lost: number) => void {
  let lines = 0;
  let chars = 0;
  let closed = false;
  return (text, lost) => {
    for (const line of text.split("\n")) {
      if (closed) return;
      const cut = line.length - MAX_LINE_CHARS + lost;
      const shown = cut > 0 ? `${line.slice(0, MAX_LINE_CHARS)}… (${cut} more characters)` : line;
      lines += 1;
      chars += shown.length;
      closed = lines > MAX_LINES || chars > MAX_OUTPUT_CHARS;
      emit(closed ? "(The script printed too much; further lines are dropped.)" : shown);
    }
  };
}

/** Printed text up to `limit` characters, lines joined; `lost` counts what is not passed on. */
function collector(limit: number, emit: (piece: string) => void) {
  let room = limit;
  let isFirst = true;
  return {
    lost: 0,
    print(text: string, cut: number): void {
      const piece = isFirst ? text : `\n${text}`;
      isFirst = false;
      const kept = piece.slice(0, room);
      this.lost += piece.length - kept.length + cut;
      // What comes after a gap would read as if it followed.
      room = cut > 0 ? 0 : room - kept.length;
      if (kept !== "") emit(kept);
    },
  };
}

/** Which calls go to the host. A refused one is answered at once with the JSON the prelude expects. */
function callGate(run: WorkerRun, forward: (call: number, tool: string, args: string) => void) {
  const open = new Map<number, number>();
  let openChars = 0;
  let made = 0;

  const refusalOf = (args: string): string | null => {
    if (args.length > MAX_ARGUMENT_CHARS) return `The arguments are longer than ${MAX_ARGUMENT_CHARS} characters.`;
    if (isDeeper(args, MAX_ARGUMENT_DEPTH)) return `The arguments nest deeper than ${MAX_ARGUMENT_DEPTH} levels.`;
    const isCrowded = open.size >= MAX_OPEN_CALLS || openChars + args.length > MAX_OPEN_CHARS;
    return isCrowded ? "Too many calls are waiting for their answer; await some first." : null;
  };

  return {
    get open() {
      return open.size;
    },
    enter(call: number, tool: string, args: string): string | undefined {
      if (run.maxPtcCalls !== null && made >= run.maxPtcCalls) {
        const message = `A script may make ${run.maxPtcCalls} tool calls (settings.maxPtcCalls); this would be one more.`;
        return JSON.stringify({ call, ok: false, message, tool, limit: true });
      }
      made += 1;
      const message = refusalOf(args);
      if (message !== null) return JSON.stringify({ call, ok: false, message, tool });
      open.set(call, args.length);
      openChars += args.length;
      forward(call, tool, args);
    },
    leave(call: number): void {
      openChars -= open.get(call) ?? 0;
      open.delete(call);
    },
  };
}

/** Whether JSON text nests deeper than `levels`, without parsing it. */
function isDeeper(json: string, levels: number): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < json.length; i += 1) {
    const char = json.charCodeAt(i);
    if (inString) {
      if (char === 92) i += 1;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 123 || char === 91) {
      depth += 1;
      if (depth > levels) return true;
    } else if (char === 125 || char === 93) depth -= 1;
  }
  return false;
}

function stalled(): WorkerOutcome {
  return failed("timeout", "The script waits for a promise that nothing can settle any more.");
}

function failed(kind: SandboxFailure, reason?: string): WorkerOutcome {
  return { status: "error", kind, reason };
}
