/** The rules about paths: where they lead, and whose the place is. */
import type { CallPath, JudgedCall } from "./call.js";
import { decidingSource } from "./grants.js";
import { grantsWriting, isReachable, mountDenial } from "./mounts.js";
import { DEFAULT_TOOLS } from "./names.js";
import { isGovernancePlane, mountOf, zoneOf } from "./paths.js";
import { enabledSkills, skillDenial, skillOf } from "./skills.js";
import type { PathAccess, Verdict } from "./types.js";
import { allow, block } from "./verdict.js";

const OPEN_ACCESS: readonly PathAccess[] = ["read", "list", "write", "remove"];
const OFFLOAD_TOOLS: readonly string[] = ["ls", "read_file"];

export function pathArgument(judged: JudgedCall): Verdict | null {
  if (judged.problem === null) return null;
  return block(judged, "tool.path-argument", `${judged.problem}. Give each path as plain text.`);
}

export function escapes(judged: JudgedCall): Verdict | null {
  const found = judged.paths.find((path) => path.escapes);
  if (!found) return null;
  return block(
    judged,
    "zone.escapes",
    `${named(found)} leads above the workspace root, where the runtime lets nothing go. Give a path inside the workspace.`,
  );
}

export function governancePlane(judged: JudgedCall): Verdict | null {
  if (judged.call.origin !== "script") return null;
  const found = judged.paths.find(({ path }) => isGovernancePlane(path));
  if (!found) return null;
  return block(
    judged,
    "zone.governance-plane",
    `${named(found)} lies under workflows/, which the runtime keeps from every script. Use files of the session or of a skill.`,
  );
}

export function skillOnly(judged: JudgedCall): Verdict | null {
  if (judged.call.tool !== "archmax_run") return null;
  const found = judged.paths.find(({ path }) => bundleOf(judged, path) === null);
  if (!found) return null;
  return block(
    judged,
    "script.skill-only",
    `${named(found)} is in no skill bundle, and the runtime executes files of skills only. Run a script of a skill enabled here.`,
  );
}

export function readOnlyZone(judged: JudgedCall): Verdict | null {
  const found = judged.paths.find((path) => writes(path) && zone(judged, path) === "authored");
  if (!found) return null;
  const mount = mountOf(found.path, judged.tables.mounts);
  return block(
    judged,
    "zone.read-only",
    `${named(found)} lies in ${mount?.name ?? "a mount"}, which the host serves read-only. Write to scratchpad/ or another place of the session.`,
  );
}

export function runtimeInternal(judged: JudgedCall): Verdict | null {
  const found = judged.paths.find((path) => zone(judged, path) === "internal");
  if (!found) return null;
  return block(judged, "zone.runtime-internal", `${named(found)} lies in an area that belongs to the runtime alone.`);
}

export function runtimeManaged(judged: JudgedCall): Verdict | null {
  const found = judged.paths.find((path) => writes(path) && zone(judged, path) === "offload");
  if (!found) return null;
  return block(
    judged,
    "zone.runtime-managed",
    `${named(found)} lies in an area that only the runtime writes. It can be read; write to scratchpad/ instead.`,
  );
}

export function skillRules(judged: JudgedCall): Verdict | null {
  const { machine, tables, call } = judged;
  for (const found of judged.paths) {
    const slug = bundleOf(judged, found.path);
    if (slug === null) continue;
    const denial = skillDenial(machine, tables, { state: call.state, slug });
    if (denial !== null) {
      return block(
        judged,
        "skill.forbidden",
        `${named(found)} lies in the skill ${slug}, which ${denier(judged, denial)} forbids.`,
      );
    }
    if (!enabledSkills(machine, tables, call.state).includes(slug)) {
      return block(
        judged,
        "skill.not-allowed",
        `${named(found)} lies in the skill ${slug}, which state ${call.state} does not enable. Work with the skills listed for this state.`,
      );
    }
  }
  return null;
}

export function mountRules(judged: JudgedCall): Verdict | null {
  const { machine, tables, call } = judged;
  for (const found of judged.paths) {
    const mount = mountOf(found.path, tables.mounts);
    if (mount === null) continue;
    const place = { state: call.state, mount };
    const lies = `${named(found)} lies in the mount ${mount.name}`;
    const denial = mountDenial(machine, tables, place);
    if (denial !== null) return block(judged, "mount.forbidden", `${lies}, which ${denier(judged, denial)} forbids.`);
    if (!isReachable(machine, tables, place)) {
      return block(
        judged,
        "mount.not-allowed",
        `${lies}, which neither state ${call.state} nor its workflow grants. Work with the mounts listed for this state.`,
      );
    }
    if (writes(found) && !grantsWriting(machine, place)) {
      return block(
        judged,
        "mount.read-only",
        `${lies}, which state ${call.state} and its workflow grant for reading only. Write to scratchpad/ or another place of the session.`,
      );
    }
  }
  return null;
}

/** R-217, W-210. */
export function scratchpad(judged: JudgedCall): Verdict | null {
  const { tool } = judged.call;
  if (judged.paths.length === 0) return null;
  const open = judged.paths.every((path) => OPEN_ACCESS.includes(path.access) && zone(judged, path) === "open");
  if (!open) return null;
  const essential = judged.tables.essentialTools.includes(tool);
  const granted = DEFAULT_TOOLS.includes(tool) && isGranted(judged);
  return essential || granted ? allow(judged, "tool.scratchpad") : null;
}

/** */
export function offloadRead(judged: JudgedCall): Verdict | null {
  if (judged.paths.length === 0 || !OFFLOAD_TOOLS.includes(judged.call.tool) || !isGranted(judged)) return null;
  return judged.paths.every((path) => zone(judged, path) === "offload") ? allow(judged, "tool.offload-read") : null;
}

function isGranted({ machine, tables, call }: JudgedCall): boolean {
  return decidingSource(machine, tables, call) !== null;
}

/** The bundle a path lies in: that of a served slug, or of one that a list denies. */
function bundleOf({ machine, tables, call }: JudgedCall, path: string): string | null {
  const slug = skillOf(path, tables);
  if (slug === null || tables.skills.includes(slug)) return slug;
  return skillDenial(machine, tables, { state: call.state, slug }) === null ? null : slug;
}

function writes({ access }: CallPath): boolean {
  return access === "write" || access === "remove";
}

function zone(judged: JudgedCall, { path }: CallPath) {
  return zoneOf(path, judged.tables.mounts);
}

/** The argument that failed and its path (W-253, R-207). */
function named({ argument, path, written, escapes: above }: CallPath): string {
  return `the argument "${argument}" (${above ? written : path === "" ? "/" : path})`;
}

function denier({ call }: JudgedCall, denial: { by: "workflow"; workflow: string } | { by: "state" }): string {
  return denial.by === "state" ? `state ${call.state}` : `workflow ${denial.workflow}`;
}
