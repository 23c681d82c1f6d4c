/** Lint of triggers and of the variables that signatures, states, locks and guards name. */
import type { DocumentPath, Finding } from "./diagnostics.js";
import { guardGlobs, type SpecView, type StateView, signatureNames } from "./document.js";
import { parseReference, referenceParts } from "./references.js";
import { TRIGGER_KEYS } from "./schema-trigger.js";
import type { TriggerSpec } from "./types.js";

export function variablesLint(view: SpecView): Finding[] {
  return [
    ...view.states.flatMap((state) => [...triggerLint(state), ...requiresLint(state)]),
    ...hostSeededLint(view),
    ...guardLint(view),
  ];
}

/** W-102, W-119, A-80 and the removed trigger id. */
function triggerLint(state: StateView): Finding[] {
  return state.triggers.flatMap(([id, declaration]) => {
    const path = [...state.path, "triggers", id];
    const findings: Finding[] = [];
    if (id === "sub-workflow") {
      const message = `The trigger id "${id}" is no longer read. Use instead: \`manual\`.`;
      findings.push({ code: "removed/trigger-sub-workflow", path, message, hint: "`manual`" });
    }
    for (const key of Object.keys(declaration)) {
      if (TRIGGER_KEYS.includes(key)) continue;
      const message = `The runtime does not read "${key}" of the trigger "${id}"; it is kept for the host.`;
      findings.push({ code: "trigger/host-key", path: [...path, key], message });
    }
    const required = signatureNames(declaration.requires);
    required.forEach((name, index) => {
      findings.push(...credentialLint(name, [...path, "requires", index]));
    });
    const seeded = new Set(required);
    signatureNames(declaration.returns).forEach((name, index) => {
      if (!seeded.has(name)) return;
      const message = `"${name}" is in \`requires\` and in \`returns\` of "${id}"; its seed is not locked, so guards on it are weak.`;
      findings.push({ code: "signature/required-and-returned", path: [...path, "returns", index], message });
    });
    return findings;
  });
}

/** W-147, A-80. */
function requiresLint(state: StateView): Finding[] {
  const seen = new Set<string>();
  return (state.spec.requires ?? []).flatMap((name, index) => {
    const path = [...state.path, "requires", index];
    const findings = credentialLint(name, path);
    if (seen.has(name)) {
      const message = `"${state.slug}" lists "${name}" twice in \`requires\`.`;
      findings.unshift({ code: "variables/requires-duplicate", path, message });
    }
    seen.add(name);
    return findings;
  });
}

const CREDENTIAL = /(^|_)(password|api_key|secret|token)(_|$)/;

function credentialLint(name: string, path: DocumentPath): Finding[] {
  if (!CREDENTIAL.test(name)) return [];
  const message = `"${name}" looks like a credential; those never travel in variables. Let a person follow a link instead.`;
  return [{ code: "variables/credential-name", path, message }];
}

/** W-153, second half. A seeded `title`, and a name the trigger also returns, land unlocked (W-143). */
function hostSeededLint(view: SpecView): Finding[] {
  const seeded = new Set(
    declarations(view).flatMap(({ requires, returns }) => {
      const unlocked = new Set(["title", ...signatureNames(returns)]);
      return signatureNames(requires).filter((name) => !unlocked.has(name));
    }),
  );
  return view.states.flatMap((state) =>
    (state.spec.locks ?? []).flatMap((name, index): Finding[] => {
      if (!seeded.has(name)) return [];
      const message = `"${name}" is seeded locked by a trigger's \`requires\`, so "${state.slug}" cannot write it either.`;
      return [{ code: "locks/host-seeded", path: [...state.path, "locks", index], message }];
    }),
  );
}

/** W-163. */
function guardLint(view: SpecView): Finding[] {
  const guaranteed = new Set(["trigger"]);
  for (const declaration of declarations(view)) {
    for (const name of signatureNames(declaration.requires)) guaranteed.add(name);
  }
  for (const state of view.states) for (const name of state.spec.requires ?? []) guaranteed.add(name);

  return guardGlobs(view).flatMap(({ glob, path, everywhere }) => {
    const names = referenceParts(glob).flatMap((part) => {
      const parsed = part.kind === "reference" ? parseReference(part.inner) : undefined;
      return parsed?.ok && !guaranteed.has(parsed.name) ? [parsed.name] : [];
    });
    return [...new Set(names)].map((name): Finding => {
      const earlier = everywhere ? " The entry binds also in states reached before anything could set it." : "";
      const message = `The guard names "${name}", which no trigger's and no state's \`requires\` guarantees.${earlier}`;
      return { code: "guard/unguaranteed-reference", path, message };
    });
  });
}

function declarations(view: SpecView): TriggerSpec[] {
  return view.states.flatMap((state) => state.triggers.map(([, declaration]) => declaration));
}
