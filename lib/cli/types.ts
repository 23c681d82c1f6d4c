/** The parts of an agent that the commands use. */
import type { Agent } from "../agent.js";
import type { Machine } from "../machine/types.js";
import type { EventHandler } from "../session/events.js";
import type { Terminal } from "./terminal.js";

export interface CliAgent extends Pick<Agent, "wake" | "close"> {
  workflow: Pick<Agent["workflow"], "name" | "resolveSession" | "send" | "decide" | "reply" | "deliver"> & {
    machine: Pick<Machine, "disabled">;
  };
  sessions: Pick<Agent["sessions"], "list" | "get">;
}

/** Assembles the agent of one workflow with what parkway.config.* adds. */
export type OpenAgent = (options: { root: string; workflow: string; onEvent?: EventHandler }) => Promise<CliAgent>;

export interface CommandContext {
  terminal: Terminal;
  /** Absolute. */
  root: string;
  /** As given, for the commands that are printed to be copied. */
  rootOption?: string;
  command: string;
  args: string[];
  options: Record<string, unknown>;
  signal: AbortSignal;
  openAgent: OpenAgent;
}
