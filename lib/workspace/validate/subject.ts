/** What the passes work on: the loaded document, what surrounds it, and the list they report into. */
import type { GovernanceTables } from "../../kernel/index.js";
import type { Machine } from "../../machine/types.js";
import { type DiagnosticCode, makeDiagnostic, nearest } from "../../spec/index.js";
import type { Diagnostic, WorkflowSpec } from "../../spec/types.js";
import type { AuthoredFiles } from "./files.js";
import type { McpToolKnowledge } from "./options.js";

export type KeyPath = readonly (string | number)[];
export interface Position {
  line: number;
  column: number;
}

/** One workflow's document whose shape holds. */
export interface Subject {
  workflow: string;
  /** Workspace path of the `workflow.yaml`. */
  file: string;
  spec: WorkflowSpec;
  machine: Machine;
  locate(path: KeyPath): Position | undefined;
}

/** What the host adds; null where it said nothing, which silences the findings that need it (W-286). */
export interface HostTables {
  governance: GovernanceTables;
  /** The table was given, so names in the document are checked against it. */
  mountsGiven: boolean;
  tools: ReadonlySet<string> | null;
  mcp(tool: string): McpToolKnowledge;
}

export interface Pass {
  subject: Subject;
  host: HostTables;
  files: AuthoredFiles;
  report: Report;
}

export interface Finding {
  code: DiagnosticCode;
  message: string;
  path?: KeyPath;
  hint?: string;
}

/** Adds a finding about the document, or about the named other file at a position in it. */
export type Report = (finding: Finding, elsewhere?: { file: string } & Partial<Position>) => void;

export function reporter(diagnostics: Diagnostic[], subject: Pick<Subject, "file" | "locate">): Report {
  return ({ code, message, path = [], hint }, elsewhere) => {
    const position = elsewhere ?? { file: subject.file, ...subject.locate(path) };
    diagnostics.push(
      makeDiagnostic(code, message, { ...position, path: [...path], ...(hint === undefined ? {} : { hint }) }),
    );
  };
}

/** States in document order. */
export function statesOf({ machine }: Subject) {
  return [...machine.states.values()];
}

export function quote(text: string): string {
  return JSON.stringify(text);
}

export function list(names: Iterable<string>): string {
  const all = [...names];
  return all.length === 0 ? "none" : all.join(", ");
}

/** A hint at the known word that a misspelt one most likely means; nothing when none is near. */
export function didYouMean(word: string, known: Iterable<string>): { hint?: string } {
  const meant = nearest(word, [...known]);
  return meant === undefined ? {} : { hint: `Did you mean ${meant}?` };
}
