/** Which mounts a state may reach, and write (W-233…W-239, R-221). */
import { type Machine, type StateMount, stateOf } from "../machine/index.js";
import type { MountGrant } from "../spec/types.js";
import type { GovernanceTables, MountInfo } from "./types.js";

/** Governed mounts that are reachable in the state, with their posture there, sorted by name: `### Mounts here`. */
export function reachableMounts(machine: Machine, tables: GovernanceTables, state: string): StateMount[] {
  return tables.mounts
    .filter((mount) => mount.governed && isReachable(machine, tables, { state, mount }))
    .map((mount) => ({
      name: mount.name,
      kind: mount.kind,
      readOnly: mount.readOnly || !grantsWriting(machine, { state, mount }),
      searchable: mount.searchable,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

export function isReachable(
  machine: Machine,
  tables: GovernanceTables,
  { state, mount }: { state: string; mount: MountInfo },
): boolean {
  if (mountDenial(machine, tables, { state, mount }) !== null) return false;
  return !mount.governed || grantsOf(machine, { state, mount }).length > 0;
}

/** Who denies the mount: an ancestor's or this workflow's root list, or the state's own. Null when nobody does. */
export function mountDenial(
  machine: Machine,
  tables: GovernanceTables,
  { state, mount }: { state: string; mount: MountInfo },
): { by: "workflow"; workflow: string } | { by: "state" } | null {
  for (const { workflow, machine: ancestor } of [...tables.inherited, { workflow: machine.workflow, machine }]) {
    if (ancestor.spec.mounts?.forbid_always?.includes(mount.name)) return { by: "workflow", workflow };
  }
  return stateOf(machine, state)?.spec.mounts?.forbid?.includes(mount.name) ? { by: "state" } : null;
}

/** The grants that name the mount, of the state and of the workflow. */
export function grantsOf(machine: Machine, { state, mount }: { state: string; mount: MountInfo }): MountGrant[] {
  const own = stateOf(machine, state)?.spec.mounts?.allow ?? [];
  const always = machine.spec.mounts?.allow_always ?? [];
  return [...own, ...always].filter((grant) => (typeof grant === "string" ? grant : grant.mount) === mount.name);
}

/** W-234: somebody asks for writing and nobody says `read`. An ungoverned mount has the host's posture alone. */
export function grantsWriting(machine: Machine, { state, mount }: { state: string; mount: MountInfo }): boolean {
  if (!mount.governed) return true;
  const asked = grantsOf(machine, { state, mount }).map((grant) => (typeof grant === "string" ? null : grant.access));
  return asked.includes("read_write") && !asked.includes("read");
}
