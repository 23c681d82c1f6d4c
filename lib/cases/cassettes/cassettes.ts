/** The cassettes of a suite: which case replays one, and what is recorded of a case. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Agent } from "../../agent.js";
import {
  asFactoryModel,
  type ChatModel,
  createChatModel,
  hasEnvironmentModel,
  isScriptId,
  type ModelFactory,
  type ModelRole,
  type ModelSettings,
  wrapChatModel,
} from "../../models/index.js";
import { readCaseDocument } from "../../spec/cases/index.js";
import type { CaseResult } from "../types.js";
import { CassetteMismatchError, CassetteSecretError, InvalidCassetteError } from "./errors.js";
import { cassetteText, parseCassette } from "./file.js";
import type { RunFacts } from "./normal-form.js";
import { type Recording, recordingOf } from "./recording.js";
import { type Replay, replayOf } from "./replay.js";
import { secretIn } from "./secrets.js";

export interface CassettesOptions {
  rootDir: string;
  workflow: string;
  mode: "replay" | "record";
  /** Holds the model's settings, and secrets that a recording must not hold. */
  env: Readonly<Record<string, string | undefined>>;
  /** The host's own; the environment's model is recorded without one. */
  modelFactory?: ModelFactory;
  /** The session that a case's file is run on. */
  sessionIdForCase(file: string): string;
}

export interface Cassettes {
  /**
   * For `runTests`: the models of one case. Undefined, so that the configured ones serve it, when replaying without a
   * cassette, and when recording where none is configured.
   */
  modelForCase(file: string): ModelFactory | undefined;
  /** The cassette that the case replays; undefined where it asks the configured models. */
  replayed(file: string): string | undefined;
  /** The target with what a cassette finds wrong thrown to the case, even where a state has a way out of errors (C-45). */
  watched<Target extends Agent>(target: Target, modelFactory: ModelFactory | undefined): Target;
  /**
   * To be called as each case ends. When replaying: the result, failed where the models were asked something else or less than
   * was recorded. When recording: writes the cassette, unless the case died or a model call failed; then the one of
   * before stays.
   */
  settle(result: CaseResult): Settled;
}

export interface Settled {
  result: CaseResult;
  /** What became of the cassette of a case that was recorded. */
  recorded?: { file: string; exchanges: number } | { file: string; kept: string };
}

/** `workflows/x/tests/a.test.yaml` has `workflows/x/tests/a.cassette.yaml` beside it. */
export function cassetteFileOf(caseFile: string): string {
  return caseFile.replace(/\.test\.ya?ml$/, ".cassette.yaml");
}

export function createCassettes(options: CassettesOptions): Cassettes {
  return options.mode === "record" ? recordingCassettes(options) : replayingCassettes(options);
}

function replayingCassettes(options: CassettesOptions): Cassettes {
  const replays = new Map<string, Replay>();
  const byFactory = new WeakMap<ModelFactory, Replay>();
  return {
    modelForCase(file) {
      const cassette = cassetteFileOf(file);
      const source = read(options.rootDir, cassette);
      if (source === null) return undefined;
      const run = factsOf(options, file);
      const replay = opened(cassette, source, run);
      replays.set(cassette, replay);
      const factory: ModelFactory = (role, _env, requested) => asFactoryModel(replay.modelFor(role, requested));
      byFactory.set(factory, replay);
      return factory;
    },
    replayed(file) {
      const cassette = cassetteFileOf(file);
      return existsSync(join(options.rootDir, cassette)) ? cassette : undefined;
    },
    watched(target, modelFactory) {
      const replay = modelFactory && byFactory.get(modelFactory);
      return replay === undefined ? target : throwingFaults(target, replay);
    },
    settle(result) {
      const file = cassetteOf(options, result);
      const replay = replays.get(file);
      if (replay === undefined) return { result };
      const fault =
        replay.fault() ?? (result.verdict.status === "passed" ? leftOver(file, replay.unused()) : undefined);
      return { result: fault === undefined ? result : died(result, fault) };
    },
  };
}

/** A cassette that cannot be read fails its case, as one that does not fit. */
function opened(file: string, source: string, run: RunFacts): Replay {
  try {
    return replayOf(file, parseCassette(source, file, run), run);
  } catch (error) {
    if (!(error instanceof InvalidCassetteError)) throw error;
    return replayOf(file, [], run, error);
  }
}

function recordingCassettes(options: CassettesOptions): Cassettes {
  const recordings = new Map<string, { recording: Recording; run: RunFacts }>();
  return {
    modelForCase(file) {
      // With a factory the runtime takes a model for configured, and asks it more than it would otherwise (W-82).
      if (options.modelFactory === undefined && !hasEnvironmentModel(options.env)) return undefined;
      const run = factsOf(options, file);
      const recording = recordingOf(run);
      recordings.set(cassetteFileOf(file), { recording, run });
      return (role, env, requested) =>
        asFactoryModel(recording.modelFor(role, requested, () => realModel(options, { role, env, requested })));
    },
    replayed: () => undefined,
    watched: (target) => target,
    settle(result) {
      const file = cassetteOf(options, result);
      const made = recordings.get(file);
      if (made === undefined) return { result };
      const { recording, run } = made;
      const kept = reasonToKeep(result, recording);
      if (kept !== null) return { result, recorded: { file, kept } };
      const exchanges = recording.exchanges();
      const text = cassetteText(exchanges, run);
      const secret = secretIn(text, options.env);
      if (secret !== undefined) {
        const error = new CassetteSecretError(file, secret, "what was said to the model or by it");
        return { result, recorded: { file, kept: error.message } };
      }
      try {
        if (exchanges.length === 0) remove(options.rootDir, file);
        else replace(options.rootDir, file, text);
      } catch (error) {
        return { result, recorded: { file, kept: (error as Error).message } };
      }
      return { result, recorded: { file, exchanges: exchanges.length } };
    },
  };
}

function reasonToKeep({ error }: CaseResult, recording: Recording): string | null {
  const failure = recording.failure();
  if (failure !== undefined)
    return `a model call failed: ${failure instanceof Error ? failure.message : String(failure)}`;
  return error === undefined ? null : "the case did not reach its end";
}

/** As the environment's models are made for an agent (H-11…H-14). */
async function realModel(
  { modelFactory, rootDir }: CassettesOptions,
  { role, env, requested }: { role: ModelRole; env: () => ModelSettings; requested: string | undefined },
): Promise<ChatModel> {
  if (modelFactory !== undefined)
    return wrapChatModel(await modelFactory(role, env, requested), { id: requested, role });
  const settings = env();
  const model = isScriptId(settings.model) ? settings.model : (requested ?? settings.model);
  const made = await createChatModel({ ...settings, model }, { rootDir });
  return wrapChatModel(made, { id: requested ?? settings.model, role });
}

function throwingFaults<Target extends Agent>(target: Target, replay: Replay): Target {
  if (target.workflow === undefined) return target;
  const checked =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      const result = await method(...args).catch((error: unknown) => {
        throw replay.fault() ?? error;
      });
      const fault = replay.fault();
      if (fault !== undefined) throw fault;
      return result;
    };
  const { send, decide, reply, deliver } = target.workflow;
  const workflow = {
    ...target.workflow,
    send: checked(send),
    decide: checked(decide),
    reply: checked(reply),
    deliver: checked(deliver),
  };
  return { ...target, workflow };
}

function leftOver(file: string, count: number): CassetteMismatchError | undefined {
  if (count === 0) return undefined;
  const what = count === 1 ? "an exchange that was" : `${count} exchanges that were`;
  return new CassetteMismatchError(
    file,
    `The workflow asks the models less than it did: ${file} holds ${what} not asked for.`,
  );
}

/** C-45. */
function died(result: CaseResult, fault: Error): CaseResult {
  const { failures } = result.verdict;
  const others = result.error === undefined ? failures : failures.slice(1);
  return {
    ...result,
    error: fault.message,
    verdict: { status: "failed", failures: [fault.message, ...others] },
  };
}

function factsOf({ rootDir, sessionIdForCase }: CassettesOptions, file: string): RunFacts {
  return { sessionId: sessionIdForCase(file), clockPinned: clockOf(read(rootDir, file), file) };
}

function clockOf(source: string | null, file: string): boolean {
  if (source === null) return false;
  const { document } = readCaseDocument(file, source, dirname(file));
  return (document?.clock ?? "") !== "";
}

function cassetteOf({ workflow }: CassettesOptions, { id }: CaseResult): string {
  return `workflows/${workflow}/tests/${id}.cassette.yaml`;
}

function read(rootDir: string, file: string): string | null {
  try {
    return readFileSync(join(rootDir, file), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Whoever reads meanwhile sees the old cassette or the new one, and a crash leaves one of them. */
function replace(rootDir: string, file: string, text: string): void {
  const path = join(rootDir, file);
  const aside = `${path}.${process.pid}.tmp`;
  mkdirSync(dirname(path), { recursive: true });
  try {
    writeFileSync(aside, text, { flush: true });
    renameSync(aside, path);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}

function remove(rootDir: string, file: string): void {
  rmSync(join(rootDir, file), { force: true });
}
