/** Governance as data in, verdict out (R-202…R-227, W-179…W-253). */
import type { Machine } from "../machine/types.js";

/** What a tool does with the path in an argument, which decides what rules bind it (H-103). */
export type PathAccess = "read" | "list" | "search" | "write" | "remove" | "execute";
/** Path arguments of a tool, by argument name. */
export type ToolPaths = Readonly<Record<string, PathAccess>>;

export interface MountInfo {
  /** Without outer slashes; may have several segments. */
  name: string;
  kind: "directory" | "file";
  readOnly: boolean;
  governed: boolean;
  searchable: boolean;
}

/** Denials of an ancestor's workflow, outermost first. */
export interface InheritedDenials {
  workflow: string;
  machine: Machine;
}

export interface PolicyCall {
  tool: string;
  args: Record<string, unknown>;
  state: string;
  sessionId?: string;
  origin: CallOrigin;
}
/** H-36: a pure function that refuses or has no opinion; it can never permit. A rule that throws refuses as its `name`. */
export type GovernanceRule = (call: PolicyCall) => { decision: "block"; ruleId: string; reason: string } | null;

export type CallOrigin = "agent" | "script" | "grader";

/** Everything beside the machine that the kernel's answer depends on. */
export interface GovernanceTables {
  mounts: readonly MountInfo[];
  /** Slugs of the skills that are served. */
  skills: readonly string[];
  /** Folders that hold the bundles, as `<source>/<slug>/`; `skills` alone unless given. */
  skillSources?: readonly string[];
  /** Path declarations of host tools (built-ins' are the kernel's own). */
  toolPaths: Readonly<Record<string, ToolPaths>>;
  essentialTools: readonly string[];
  /** Names of the host tools that exist, in registration order. */
  hostTools: readonly string[];
  inherited: readonly InheritedDenials[];
  policyRules: readonly GovernanceRule[];
}

export interface ProposedCall {
  state: string;
  tool: string;
  /** References substituted. */
  args: Record<string, unknown>;
  origin: CallOrigin;
  replyOnly: boolean;
  /** Name to value. */
  variables: Readonly<Record<string, unknown>>;
  sessionId?: string;
}

export type Verdict =
  /** `args` with every declared path in canonical form. */
  | { decision: "allow"; ruleId: string; args: Record<string, unknown> }
  | { decision: "block"; ruleId: string; reason: string; terminal?: true };
