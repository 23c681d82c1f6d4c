/** The parts of an agent that the commands use. */
import type { GovernedAgent } from "../agent.js";
import type { Machine } from "../machine/types.js";
import type { EventHandler } from "../session/events.js";
import type { Outcome } from "../session/outcome.js";
import type { Terminal } from "./terminal.js";

/** What `run` brings: an input, and what names its session (H-60). */
export interface Firing {
  message?: string;
  trigger?: string;
  variables?: Record<string, unknown>;
  files?: Record<string, { name: string; content: Uint8Array }>;
  sessionId?: string;
  sessionPath?: string;
}

/** A turn whose session is known; `start` sees it through. */
export interface PreparedTurn {
  sessionId: string;
  start(config: { signal: AbortSignal }): Promise<Outcome>;
}

type Answers = Pick<GovernedAgent["workflow"], "name" | "decide" | "reply" | "deliver">;
/** Of a workspace on this machine. */
type LocalWorkflow = Answers &
  Pick<GovernedAgent["workflow"], "resolveSession" | "send"> & { machine: Pick<Machine, "disabled"> };
/** Of a deployed environment, which alone knows which session a firing is for. */
type RemoteWorkflow = Answers & { begin(firing: Firing): Promise<PreparedTurn> };

export interface CliAgent extends Pick<GovernedAgent, "wake" | "close"> {
  workflow: LocalWorkflow | RemoteWorkflow;
  sessions: Pick<GovernedAgent["sessions"], "list" | "get">;
}

/** Assembles the agent of one workflow with what parkway.config.* adds. */
export type OpenAgent = (options: { root: string; workflow: string; onEvent?: EventHandler }) => Promise<CliAgent>;

export interface CommandContext {
  terminal: Terminal;
  /** Absolute. */
  root: string;
  /** As given, for the commands that are printed to be copied. */
  rootOption?: string;
  /** Of a deployed environment, in place of the root (C-71). */
  endpoint?: string;
  command: string;
  args: string[];
  options: Record<string, unknown>;
  signal: AbortSignal;
  openAgent: OpenAgent;
}
