import type { EvidenceJudgement } from "../machine/index.js";
import { canonicalPath, zoneOf } from "./paths.js";
import type { MountInfo } from "./types.js";

/**
 * Whether a path may be attached to an advance: it names something below the root that an agent can read by the
 * zone table. The canonical path is what is stored.
 */
export function readableEvidencePath(text: string, mounts: readonly MountInfo[]): EvidenceJudgement {
  const { path, escapes, control } = canonicalPath(text);
  const named = JSON.stringify(text);
  if (escapes) return refused(`The evidence path ${named} leads above the workspace root.`);
  if (control) return refused(`The evidence path ${named} holds a control character.`);
  if (path === "") return refused(`The evidence path ${named} is empty.`);
  if (zoneOf(path, mounts) === "internal") {
    return refused(`The evidence path ${named} lies in an area that belongs to the runtime.`);
  }
  return { ok: true, path };
}

function refused(what: string): EvidenceJudgement {
  return { ok: false, reason: `${what} Attach the path of a file in the workspace.` };
}
