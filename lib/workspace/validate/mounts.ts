/** The mounts pass (W-240): names the host does not have, and grants that change nothing. */
import type { MountInfo } from "../../kernel/index.js";
import type { MountGrant } from "../../spec/types.js";
import { didYouMean, type KeyPath, list, type Pass, quote, statesOf } from "./subject.js";

export function checkMountLists({ subject, host, report }: Pass): void {
  const table = host.mountsGiven ? new Map(host.governance.mounts.map((mount) => [mount.name, mount])) : null;
  const root = subject.spec.mounts;
  const always = root?.allow_always ?? [];
  const forbidAlways = root?.forbid_always ?? [];
  const stateGrants = statesOf(subject).flatMap(({ spec }) => spec.mounts?.allow ?? []);
  const granted = new Set([...always, ...stateGrants].map(nameOf));

  const known = (name: string, path: KeyPath) => {
    if (table === null || table.has(name)) return;
    report({
      code: "mounts/unknown",
      path,
      message: `The host has no mount ${quote(name)}; it has: ${list(table.keys())}.`,
      ...didYouMean(name, table.keys()),
    });
  };
  const checkGrant = (grant: MountGrant, path: KeyPath) => {
    const name = nameOf(grant);
    const mount = table?.get(name);
    known(name, path);
    if (mount === undefined) return;
    if (!mount.governed) {
      report({
        code: "mounts/ungoverned-grant",
        path,
        message: `${quote(name)} is not governed, so every state reaches it without a grant; remove the entry.`,
      });
    }
    if (accessOf(grant) === "read_write" && mount.readOnly) {
      report({
        code: "mounts/read-only-ceiling",
        path,
        message: `The host serves ${quote(name)} read-only, so read_write grants reading; write "access: read".`,
      });
    }
  };

  const governed = [...(table?.values() ?? [])].filter((mount: MountInfo) => mount.governed).map(({ name }) => name);
  if (root === undefined && governed.length > 0) {
    report({
      code: "mounts/no-root-block",
      message: `The host governs ${list(governed)} and no state reaches one unless it lists it; write "mounts: { allow_always: [] }" if that is meant.`,
    });
  }
  for (const [index, grant] of always.entries()) checkGrant(grant, ["mounts", "allow_always", index]);
  for (const [index, name] of forbidAlways.entries()) {
    const path = ["mounts", "forbid_always", index];
    known(name, path);
    if (granted.has(name)) {
      report({
        code: "mounts/grant-cancelled",
        path,
        message: `${quote(name)} is denied everywhere, so the lists that allow it have no effect; remove it on one side.`,
      });
    }
  }
  for (const { slug: state, spec } of statesOf(subject)) {
    const { allow, forbid = [] } = spec.mounts ?? {};
    const at = ["states", state, "mounts"];
    if (allow?.length === 0 && always.length > 0) {
      report({
        code: "mounts/empty-allow",
        path: [...at, "allow"],
        message: `An empty allow denies nothing: ${list(always.map(nameOf))} stay granted by allow_always; use forbid.`,
      });
    }
    for (const [index, grant] of (allow ?? []).entries()) {
      const path = [...at, "allow", index];
      const name = nameOf(grant);
      checkGrant(grant, path);
      if (forbid.includes(name)) {
        report({
          code: "mounts/allow-and-forbid",
          path,
          message: `${quote(name)} is allowed and forbidden in state ${quote(state)}; forbid wins, so remove one.`,
        });
        continue;
      }
      const rootGrants = always.filter((other) => nameOf(other) === name);
      if (rootGrants.length === 0 || forbidAlways.includes(name)) continue;
      if (accessOf(grant) === "read_write" && rootGrants.some((other) => accessOf(other) === "read")) {
        report({
          code: "mounts/cannot-widen",
          path,
          message: `allow_always narrows ${quote(name)} to reading, which no state can widen; drop "access: read" there.`,
        });
      } else if (mayWrite(rootGrants) === mayWrite([...rootGrants, grant])) {
        report({
          code: "mounts/redundant",
          path,
          message: `${quote(name)} is granted the same way in every state by allow_always; remove it here.`,
        });
      }
    }
    for (const [index, name] of forbid.entries()) {
      const path = [...at, "forbid", index];
      known(name, path);
      if (table?.get(name)?.governed && !always.some((grant) => nameOf(grant) === name) && !namesIt(allow, name)) {
        report({
          code: "mounts/forbid-nothing",
          path,
          message: `Nothing grants the governed mount ${quote(name)} in state ${quote(state)}; remove it from forbid.`,
        });
      }
    }
  }
}

function namesIt(grants: readonly MountGrant[] | undefined, name: string): boolean {
  return (grants ?? []).some((grant) => nameOf(grant) === name);
}

function nameOf(grant: MountGrant): string {
  return typeof grant === "string" ? grant : grant.mount;
}

function accessOf(grant: MountGrant): "read" | "read_write" | undefined {
  return typeof grant === "string" ? undefined : grant.access;
}

/** W-234, as far as the document decides it. */
function mayWrite(grants: readonly MountGrant[]): boolean {
  return (
    grants.some((grant) => accessOf(grant) === "read_write") && !grants.some((grant) => accessOf(grant) === "read")
  );
}
