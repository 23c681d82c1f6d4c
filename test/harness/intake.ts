/** An intake over a workspace written for one test. */
import { afterEach } from "vitest";
import { createIntake, createIntakeWorkflows, type Intake, type IntakeHost } from "../../lib/intake/index.js";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import { type ManualClock, manualClock } from "./clock.js";
import { temporaryFolder, writeTree } from "./temporary.js";

export interface IntakeBenchOptions {
  /** Text of `workflows/<slug>/workflow.yaml` by slug. */
  specs?: Record<string, string>;
  /** The workspace, where it is there already. */
  rootDir?: string;
  host?: Partial<Omit<IntakeHost, "clock">>;
  clock?: ManualClock;
}

export interface IntakeBench {
  intake: Intake;
  host: IntakeHost;
  clock: ManualClock;
  /** Sessions whose doorbell was rung, in order. */
  rung: string[];
  warnings: string[];
  rootDir: string;
}

/** Opens intakes whose folders are removed after the test that opened them. */
export function intakes(): (options: IntakeBenchOptions) => IntakeBench {
  const folders: { remove(): void }[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) folder.remove();
  });
  return ({ specs = {}, rootDir: given, host: own, clock = manualClock() }) => {
    const folder = given === undefined ? temporaryFolder() : null;
    if (folder) folders.push(folder);
    const rootDir = given ?? folder?.dir ?? "";
    const files = Object.entries(specs).map(([slug, text]) => [`workflows/${slug}/workflow.yaml`, text]);
    writeTree(rootDir, Object.fromEntries(files));
    const rung: string[] = [];
    const warnings: string[] = [];
    const host: IntakeHost = {
      store: createMemorySessionStore(),
      files: createMemoryFileStore(),
      doorbell: { ring: async (sessionId) => void rung.push(sessionId) },
      warn: (message) => void warnings.push(message),
      ...own,
      clock,
    };
    const intake = createIntake(host, createIntakeWorkflows({ rootDir, warn: host.warn }));
    return { intake, host, clock, rung, warnings, rootDir };
  };
}
