/** The command as a person calls it, each time a process of its own, over a copy of the bundled workspace. */
import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Outcome, SessionSummary } from "../../lib/session/outcome.js";
import { type Outbox, readOutbox } from "../../workflows/refund-desk/host/outbox.ts";
import { temporaryFolder } from "../harness/temporary.js";

export const REPOSITORY = join(import.meta.dirname, "..", "..");
/** What makes up the bundled workspace. */
const AUTHORED = ["workflows", "skills", "AGENTS.md", "parkway.config.ts"];

export interface Ran {
  exit: number | null;
  out: string;
  err: string;
}

export function parkway(root: string, argv: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const { ARCHMAX_MODEL: _model, ...inherited } = process.env;
  const child = spawn(process.execPath, [join(REPOSITORY, "bin", "parkway.mjs"), ...argv], {
    cwd: root,
    env: { ...inherited, PARKWAY_OUTBOX: join(root, "outbox"), ...env },
  });
  const ran: Ran = { exit: null, out: "", err: "" };
  child.stdout.on("data", (data) => {
    ran.out += data;
  });
  child.stderr.on("data", (data) => {
    ran.err += data;
  });
  return new Promise((resolve) => child.on("close", (exit) => resolve({ ...ran, exit })));
}

/** The bundled workspace, copied so that its sessions are the test's own; gone after the test. */
export function bundledWorkspace(): string {
  const { dir, remove } = temporaryFolder();
  onTestFinished(remove);
  for (const name of AUTHORED) cpSync(join(REPOSITORY, name), join(dir, name), { recursive: true });
  return dir;
}

/** One session of a bundled workflow, driven command by command, with the replies of a scripted model. */
export interface Conversation {
  run(options?: { message?: string; trigger?: string; variables?: Record<string, unknown> }): Promise<Outcome>;
  decide(to: string, comment?: string): Promise<Outcome>;
  deliver(trigger: string, variables?: Record<string, unknown>): Promise<Outcome>;
  /** By its id, this session or one of its children. */
  session(id?: string): Promise<SessionSummary>;
  outbox(): Outbox;
  /** What the last command told its user beside the outcome. */
  told(): string;
}

/**
 * @param options.replies - a script from the repository's root
 * @throws from every command that does not exit 0
 */
export function converse(options: { workflow: string; sessionId: string; replies?: string }): Conversation {
  const { workflow, sessionId, replies } = options;
  const root = bundledWorkspace();
  const env = replies === undefined ? undefined : { ARCHMAX_MODEL: `script:${join(REPOSITORY, replies)}` };
  let told = "";
  const command = async (...argv: string[]) => {
    const { exit, out, err } = await parkway(root, [...argv, "--json"], env);
    told = err;
    if (exit !== 0) throw new Error(`parkway ${argv[0]} exited ${exit}: ${out}\n${err}`);
    return JSON.parse(out);
  };
  const given = (variables?: Record<string, unknown>) =>
    variables === undefined ? [] : ["--variables", JSON.stringify(variables)];
  const workflowOption = ["--workflow", workflow];
  return {
    run: ({ message, trigger, variables } = {}) =>
      command(
        ...["run", workflow, ...(message === undefined ? [] : [message]), "--session", sessionId],
        ...(trigger === undefined ? [] : ["--trigger", trigger]),
        ...given(variables),
      ),
    decide: (to, comment) =>
      command("decide", sessionId, "--to", to, ...(comment ? ["--comment", comment] : []), ...workflowOption),
    deliver: (trigger, variables) =>
      command("deliver", sessionId, "--trigger", trigger, ...given(variables), ...workflowOption),
    session: (id = sessionId) => command("sessions", id, ...workflowOption),
    outbox: () => readOutbox(join(root, "outbox")),
    told: () => told,
  };
}

/** The moves of a trail: who, where to. */
export function movesOf(outcome: Outcome): string[] {
  return outcome.auditTrail.map(({ kind, to }) => `${kind} ${to}`);
}
