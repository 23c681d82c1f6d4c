/** Canonical paths and their zones (W-190, W-237, W-251, W-252, F-96). */
import type { MountInfo } from "./types.js";

export interface CanonicalPath {
  /** Without outer slashes, in NFC; empty for the root. Of an escaping path, what is left below the root. */
  path: string;
  /** A `..` would have left the root. */
  escapes: boolean;
  /** It holds a control character. */
  control: boolean;
}

/** The one spelling of a path. Nothing is decoded or case-folded, and a backslash is an ordinary character. */
export function canonicalPath(text: string): CanonicalPath {
  const kept: string[] = [];
  let escapes = false;
  for (const segment of text.normalize("NFC").split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") kept.push(segment);
    else if (kept.pop() === undefined) escapes = true;
  }
  return { path: kept.join("/"), escapes, control: /\p{Cc}/u.test(text) };
}

export type Zone = "authored" | "open" | "offload" | "internal" | "session" | "outside";

const OPEN_AREA = "scratchpad";
const OFFLOAD_AREAS = ["large_tool_results", "conversation_history"];
const INTERNAL_AREAS = ["checkpoints", "artifacts", "_specs"];
/** The authored machines, which no agent has a route to (W-250). */
const GOVERNANCE_PLANE = "workflows";

/** The zone of a path in any spelling. */
export function zoneOf(path: string, mounts: readonly MountInfo[]): Zone {
  const canonical = canonicalPath(path);
  if (canonical.escapes) return "outside";
  if (mountOf(canonical.path, mounts)?.readOnly) return "authored";
  const area = areaOf(canonical.path);
  if (area === OPEN_AREA) return "open";
  if (OFFLOAD_AREAS.includes(area)) return "offload";
  return INTERNAL_AREAS.includes(area) ? "internal" : "session";
}

/** The mount with the longest name the canonical path lies in; a file mount holds its exact path only. */
export function mountOf(path: string, mounts: readonly MountInfo[]): MountInfo | null {
  let found: MountInfo | null = null;
  for (const mount of mounts) {
    const inside = path === mount.name || (mount.kind === "directory" && path.startsWith(`${mount.name}/`));
    if (inside && (found === null || mount.name.length > found.name.length)) found = mount;
  }
  return found;
}

export function isGovernancePlane(path: string): boolean {
  return areaOf(path) === GOVERNANCE_PLANE;
}

/** The first segment of a canonical path. */
export function areaOf(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? path : path.slice(0, slash);
}
