/** The skills pass: bundles that cannot serve, and lists that name or grant in vain (W-220, W-222, W-229). */
import { didYouMean, type KeyPath, list, type Pass, quote, statesOf } from "./subject.js";

export function checkSkillLists({ subject, host, report }: Pass): void {
  const served = new Set(host.governance.skills);
  const root = subject.spec.skills;
  const always = root?.allow_always ?? [];
  const forbidAlways = root?.forbid_always ?? [];
  const granted = new Set([...always, ...statesOf(subject).flatMap(({ spec }) => spec.skills?.allow ?? [])]);

  const known = (slug: string, path: KeyPath) => {
    if (served.has(slug)) return;
    report({
      code: "skills/unknown",
      path,
      message: `No skill ${quote(slug)} is served; known: ${list(served)}.`,
      ...didYouMean(slug, served),
    });
  };
  if (root === undefined && served.size > 0) {
    report({
      code: "skills/no-root-block",
      message: `The workspace serves skills (${list(served)}) and no state enables one unless it lists it; write "skills: { allow_always: [] }" if that is meant.`,
    });
  }
  for (const [index, slug] of always.entries()) known(slug, ["skills", "allow_always", index]);
  for (const [index, slug] of forbidAlways.entries()) {
    const path = ["skills", "forbid_always", index];
    known(slug, path);
    if (granted.has(slug)) {
      report({
        code: "skills/grant-cancelled",
        path,
        message: `${quote(slug)} is denied everywhere, so the lists that allow it have no effect; remove it on one side.`,
      });
    }
  }
  for (const { slug: state, spec } of statesOf(subject)) {
    const { allow, forbid = [] } = spec.skills ?? {};
    const at = ["states", state, "skills"];
    if (allow?.length === 0 && always.length > 0) {
      report({
        code: "skills/empty-allow",
        path: [...at, "allow"],
        message: `An empty allow denies nothing: ${list(always)} stay enabled by allow_always; use forbid to deny them.`,
      });
    }
    for (const [index, slug] of (allow ?? []).entries()) {
      const path = [...at, "allow", index];
      known(slug, path);
      if (forbid.includes(slug)) {
        report({
          code: "skills/allow-and-forbid",
          path,
          message: `${quote(slug)} is allowed and forbidden in state ${quote(state)}; forbid wins, so remove one.`,
        });
      } else if (always.includes(slug) && !forbidAlways.includes(slug)) {
        report({
          code: "skills/redundant",
          path,
          message: `${quote(slug)} is enabled in every state by allow_always; remove it here.`,
        });
      }
    }
    for (const [index, slug] of forbid.entries()) {
      const path = [...at, "forbid", index];
      known(slug, path);
      if (!(allow ?? []).includes(slug) && !always.includes(slug)) {
        report({
          code: "skills/forbid-nothing",
          path,
          message: `Nothing enables ${quote(slug)} in state ${quote(state)}, so there is nothing to forbid; remove it.`,
        });
      }
    }
  }
}
