/** What the prompt needs to know of mounts. */

export interface PromptMount {
  /** Without outer slashes. */
  name: string;
  kind: "directory" | "file";
  readOnly: boolean;
  governed: boolean;
  searchable: boolean;
}

/** A governed mount as one state reaches it. */
export interface StateMount {
  name: string;
  kind: "directory" | "file";
  /** In this state, whatever the host's ceiling. */
  readOnly: boolean;
  searchable: boolean;
}

/** One line of a list of mounts (W-263, W-264 part 6). */
export function mountLine(mount: StateMount): string {
  const marks = [mount.readOnly ? "read-only" : "read/write", ...(mount.searchable ? [] : ["browse only"])];
  return `- \`${mount.name}${mount.kind === "directory" ? "/" : ""}\` (${marks.join(", ")})`;
}

/** Code point order, the same on every machine. */
export function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}
