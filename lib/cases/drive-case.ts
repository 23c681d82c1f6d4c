/** One case on one session: its start conditions, its steps, its verdict (C-3, C-9…C-14, C-24…C-26, C-39, C-44…C-46). */
import type { GovernedAgent, TurnConfig } from "../agent.js";
import type { Clock } from "../session/ports.js";
import { type CaseAction, type CaseAssertion, type CaseDocument, fixtureOf } from "../spec/cases/index.js";
import { MANUAL_TRIGGER } from "../spec/index.js";
import { type Evidence, isAction, notExecuted, recordOf } from "./assertion-record.js";
import { checkContent } from "./content.js";
import { type Deadline, startDeadline } from "./deadline.js";
import { MissingFixtureError, SessionSeedUnsupportedError, ToolMocksUnsupportedError } from "./errors.js";
import type { Judge } from "./judge/judge.js";
import { mocksOf } from "./mocks.js";
import { checkStructural, isStructural } from "./structural.js";
import type { AssertionRecord, CaseResult } from "./types.js";
import { reduceVerdict } from "./verdict.js";

export interface DriveOptions {
  target: GovernedAgent;
  document: CaseDocument;
  sessionId: string;
  /** Bytes of a file below `tests/`; null where there is none. */
  readFixture(from: string): Promise<Uint8Array | null>;
  /** Null where the workflow declares no judge. */
  judge: Judge | null;
  timeoutMs: number;
  clock: Clock;
  /** Stops the case; the call then rejects with its reason. */
  signal?: AbortSignal;
}

/** @throws the reason of `signal`; whatever else goes wrong fails the case */
export async function driveCase(options: DriveOptions): Promise<CaseResult> {
  const { target, document, sessionId, timeoutMs, clock, signal } = options;
  const { id, title, description } = document;
  if (document.skip !== undefined) return { id, title, description, ...skipped(document.skip) };
  const deadline = startDeadline({ timeoutMs, clock, signal });
  const records: AssertionRecord[] = [];
  let error: string | undefined;
  try {
    await deadline.within(() => prepare(options));
    await perform(options, deadline, records);
  } catch (thrown) {
    signal?.throwIfAborted();
    error = messageOf(thrown);
  } finally {
    deadline.release();
    await target.dispose(sessionId);
  }
  return resultOf(document, { sessionId, records, error });
}

/** Of a case whose start conditions were refused (C-45). */
export function diedBefore(document: CaseDocument, sessionId: string, thrown: unknown): CaseResult {
  return resultOf(document, { sessionId, records: [], error: messageOf(thrown) });
}

function resultOf(
  document: CaseDocument,
  { sessionId, records, error }: { sessionId: string; records: AssertionRecord[]; error?: string },
): CaseResult {
  const { id, title, description } = document;
  const verdict = reduceVerdict(records);
  const told = { id, title, description, sessionId, records: [...records, ...leftOver(document, records)] };
  if (error === undefined) return { ...told, verdict };
  return { ...told, verdict: { status: "failed", failures: [error, ...verdict.failures] }, error };
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

export function skipped(reason: string): Pick<CaseResult, "verdict" | "records" | "skipReason"> {
  return { verdict: { status: "skipped", failures: [] }, records: [], skipReason: reason };
}

/** What has to hold before the first step. */
async function prepare({ target, document, sessionId, readFixture }: DriveOptions): Promise<void> {
  if ((document.mocks ?? []).length > 0 && !target.capabilities.toolMocks) {
    throw new ToolMocksUnsupportedError();
  }
  target.workflow.resolveTrigger(document.trigger?.id ?? MANUAL_TRIGGER);
  const contents = Object.entries(document.workspace ?? {});
  if (contents.length === 0) return;
  if (typeof target.sessions.seed !== "function") throw new SessionSeedUnsupportedError();
  const files: Record<string, unknown> = {};
  for (const [path, content] of contents) {
    const from = fixtureOf(content);
    files[path] = typeof from === "string" ? await fixture(path, from, readFixture) : content;
  }
  await target.sessions.seed(sessionId, files);
}

async function fixture(path: string, from: string, read: DriveOptions["readFixture"]): Promise<Uint8Array> {
  const bytes = await read(from);
  if (bytes === null) throw new MissingFixtureError(path, from);
  return bytes;
}

/** Runs the steps in order until the last one, or the first structural assertion that misses. */
async function perform(options: DriveOptions, deadline: Deadline, records: AssertionRecord[]): Promise<void> {
  let evidence: Evidence | null = null;
  for (const [index, step] of options.document.steps.entries()) {
    if (isAction(step)) {
      evidence = await deadline.within((signal) => act(options, step, signal));
      continue;
    }
    // The parser refuses an assertion that has no action before it (C-24).
    const made = await evaluate(options, step, { evidence: evidence!, index, deadline });
    records.push(...made);
    if (isStructural(step) && made.some(({ status }) => status === "failed")) return;
  }
}

function act({ target, document, sessionId }: DriveOptions, step: CaseAction, signal: AbortSignal) {
  const { workflow } = target;
  const config: TurnConfig = { ...turnConfig(document), signal };
  if ("decide" in step) {
    const { to, comment } = step.decide;
    return workflow.decide(sessionId, { target: to, ...(comment === undefined ? {} : { comment }) }, config);
  }
  if ("deliver" in step) {
    const { trigger, variables } = step.deliver;
    return workflow.deliver(sessionId, { trigger: { id: trigger }, ...(variables ? { variables } : {}) }, config);
  }
  const { trigger = { id: MANUAL_TRIGGER }, variables } = document;
  return workflow.send(sessionId, { message: step.send, trigger, ...(variables ? { variables } : {}) }, config);
}

/** What every turn of the case is run with (C-12, C-23). The parser has checked the clock. */
function turnConfig({ mocks = [], clock }: CaseDocument): Pick<TurnConfig, "mocks" | "pinnedClockMs"> {
  return {
    ...(mocks.length > 0 ? { mocks: mocksOf(mocks) } : {}),
    ...(clock === undefined ? {} : { pinnedClockMs: clock === "" ? null : Date.parse(clock) }),
  };
}

async function evaluate(
  { judge }: DriveOptions,
  assertion: CaseAssertion,
  { evidence, index, deadline }: { evidence: Evidence; index: number; deadline: Deadline },
): Promise<AssertionRecord[]> {
  deadline.signal.throwIfAborted();
  if (isStructural(assertion)) {
    const kind = Object.keys(assertion)[0] as keyof typeof assertion;
    return [recordOf(kind, index, checkStructural(assertion, evidence))];
  }
  if (!("grade" in assertion)) return checkContent(assertion, evidence, index);
  const { closedQA, atLeast } = assertion.grade;
  const record = { kind: "grade.closedQA", threshold: atLeast, step: index } as const;
  if (judge === null) return [{ ...record, status: "failed", detail: NO_JUDGE }];
  const { score, detail } = await deadline.within((signal) => judge(closedQA, evidence, signal));
  const status = score >= atLeast ? "passed" : "failed";
  return [{ ...record, status, score, ...(detail === undefined ? {} : { detail }) }];
}

const NO_JUDGE = 'the workflow declares no judge; write "tests: { judge: {} }" in its workflow.yaml';

/** One record for each assertion step that no record was made for. */
function leftOver({ steps }: CaseDocument, records: readonly AssertionRecord[]): AssertionRecord[] {
  const done = new Set(records.map(({ step }) => step));
  return steps.flatMap((step, index) => (isAction(step) || done.has(index) ? [] : [notExecuted(step, index)]));
}
