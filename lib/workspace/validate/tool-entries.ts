/** The four tools lists as one list of entries, each with its place. */
import type { ToolEntry } from "../../spec/types.js";
import type { KeyPath, Subject } from "./subject.js";

export interface PlacedEntry {
  tool: string;
  entry: ToolEntry;
  path: KeyPath;
  kind: "grant" | "denial";
  /** Null in the lists of the root. */
  state: string | null;
}

export function rootEntries({ spec }: Subject): PlacedEntry[] {
  const { allow_always = [], forbid_always = [] } = spec.tools ?? {};
  return [
    ...placed(allow_always, { path: ["tools", "allow_always"], kind: "grant", state: null }),
    ...placed(forbid_always, { path: ["tools", "forbid_always"], kind: "denial", state: null }),
  ];
}

export function stateEntries(subject: Subject, state: string): PlacedEntry[] {
  const { allow = [], forbid = [] } = subject.machine.states.get(state)?.spec.tools ?? {};
  const at = ["states", state, "tools"];
  return [
    ...placed(allow, { path: [...at, "allow"], kind: "grant", state }),
    ...placed(forbid, { path: [...at, "forbid"], kind: "denial", state }),
  ];
}

/** Without a guard: it speaks of every call of the tool (W-186). */
export function isBare(entry: ToolEntry): boolean {
  return typeof entry === "string" || (entry.args === undefined && entry.paths === undefined);
}

function placed(entries: readonly ToolEntry[], place: Omit<PlacedEntry, "tool" | "entry">): PlacedEntry[] {
  return entries.map((entry, index) => ({
    ...place,
    entry,
    tool: typeof entry === "string" ? entry : entry.tool,
    path: [...place.path, index],
  }));
}
