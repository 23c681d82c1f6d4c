/** Which skill bundles a state may reach (W-223…W-228, R-220). */
import { type Machine, stateOf } from "../machine/index.js";
import { canonicalPath } from "./paths.js";
import type { GovernanceTables } from "./types.js";

/** Slugs in set order: the state's own list, then the workflow's, without denied and unserved ones (W-223). */
export function enabledSkills(machine: Machine, tables: GovernanceTables, state: string): string[] {
  const own = stateOf(machine, state)?.spec.skills?.allow ?? [];
  const always = machine.spec.skills?.allow_always ?? [];
  return [...new Set([...own, ...always])].filter(
    (slug) => tables.skills.includes(slug) && skillDenial(machine, tables, { state, slug }) === null,
  );
}

/** Who denies the bundle: an ancestor's or this workflow's root list, or the state's own. Null when nobody does. */
export function skillDenial(
  machine: Machine,
  tables: GovernanceTables,
  { state, slug }: { state: string; slug: string },
): { by: "workflow"; workflow: string } | { by: "state" } | null {
  for (const { workflow, machine: ancestor } of [...tables.inherited, { workflow: machine.workflow, machine }]) {
    if (ancestor.spec.skills?.forbid_always?.includes(slug)) return { by: "workflow", workflow };
  }
  return stateOf(machine, state)?.spec.skills?.forbid?.includes(slug) ? { by: "state" } : null;
}

/** The slug after the skill source the canonical path lies in, served or not; null outside every source. */
export function skillOf(path: string, tables: GovernanceTables): string | null {
  for (const source of tables.skillSources ?? ["skills"]) {
    const folder = canonicalPath(source).path;
    const prefix = folder === "" ? "" : `${folder}/`;
    if (!path.startsWith(prefix)) continue;
    const [slug] = path.slice(prefix.length).split("/");
    if (slug) return slug;
  }
  return null;
}
