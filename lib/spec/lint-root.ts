/** Lint of the root blocks: standing instructions, the flag `disabled`, models, the runtime block. */
import type { Finding } from "./diagnostics.js";
import type { SpecView } from "./document.js";
import { isMapping, own } from "./own.js";

export const RUNTIME_ENGINE = "archmax-harness";
export const RUNTIME_VERSION = "3";

export function rootLint(view: SpecView): Finding[] {
  return [...instructionsLint(view), ...disabledLint(view), ...modelLint(view)];
}

/** W-36, W-37. Takes the document as authored, so that it can run whatever else is wrong (W-295). */
export function runtimeFindings(document: Record<string, unknown>): Finding[] {
  const runtime = own(document, "runtime");
  if (!isMapping(runtime)) return [];
  const engine = own(runtime, "engine");
  const version = own(runtime, "version");
  const findings: Finding[] = [];
  if (typeof engine === "string" && engine !== RUNTIME_ENGINE) {
    const message = `The engine "${engine}" is not served; write \`engine: ${RUNTIME_ENGINE}\` or leave it out.`;
    findings.push({ code: "runtime/unsupported-engine", path: ["runtime", "engine"], message });
  }
  if ((typeof version === "string" || typeof version === "number") && String(version) !== RUNTIME_VERSION) {
    const message = `Version ${version} of the contract is not served; write \`version: ${RUNTIME_VERSION}\` or leave it out.`;
    findings.push({ code: "runtime/unsupported-version", path: ["runtime", "version"], message });
  }
  return findings;
}

/** W-25. */
function instructionsLint({ spec, states }: SpecView): Finding[] {
  if (spec.instructions !== undefined || !states.some(({ type }) => type === "agent")) return [];
  const message = "The workflow has no root `instructions`; the agent works without standing direction.";
  return [{ code: "root/no-instructions", path: ["instructions"], message }];
}

/** W-27, W-33. */
function disabledLint({ spec, authoredDisabled }: SpecView): Finding[] {
  if (!spec.disabled) return [];
  const path = ["disabled"];
  const findings: Finding[] = [
    { code: "disabled/out-of-service", path, message: "The workflow is disabled: it starts no new turn." },
  ];
  if (typeof authoredDisabled !== "boolean") {
    const message = "`disabled` must be true or false; any other value is read as true.";
    findings.unshift({ code: "disabled/not-boolean", path, message });
  }
  return findings;
}

/** W-168. */
function modelLint({ spec, states }: SpecView): Finding[] {
  const model = spec.settings?.model;
  if (model === undefined) return [];
  return states
    .filter((state) => state.spec.model === model)
    .map((state) => ({
      code: "model/redundant",
      path: [...state.path, "model"],
      message: `"${state.slug}" repeats \`settings.model\`; remove the key or name another model.`,
    }));
}
