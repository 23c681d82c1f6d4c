/** From a configuration to what its entrances need of it (C-73). */
import { canonicalJson } from "../session/fingerprint.js";
import { mountInfos } from "../workspace/index.js";
import type { ParkwayConfig } from "./config.js";
import type { Deployment } from "./deployment.js";
import { secretKind } from "./secret-reference.js";

/** The entrances of a configuration as plain JSON with sorted keys: equal configurations have equal text. */
export function deploymentOf(config: ParkwayConfig): Deployment {
  const { webhooks = {}, events = {}, schedules = {}, mounts, mcp } = config;
  // `mcp.json` travels with every deployment; another file is one that the configuration names.
  const named = typeof mcp === "string" && mcp !== "mcp.json" ? [mcp] : [];
  const files = config.files || named.length > 0 ? [...(config.files ?? []), ...named] : undefined;
  const names = mounts && { mountNames: mountInfos(mounts).map(({ name }) => name) };
  return JSON.parse(canonicalJson({ webhooks, events, schedules, ...names, ...(files && { files }) })) as Deployment;
}

/** Every secret that the webhooks name, with the place that names it. */
export function secretReferences({ webhooks }: Deployment): { at: string; reference: string }[] {
  return Object.entries(webhooks).flatMap(([key, { verify }]) =>
    "secrets" in verify
      ? verify.secrets.map((reference, index) => ({ at: `webhooks[${key}].verify.secrets[${index}]`, reference }))
      : [],
  );
}

/** The references that only one's own machine resolves (`env:`); a deployment that has one cannot go to AWS. */
export function localReferences(deployment: Deployment): { at: string; reference: string }[] {
  return secretReferences(deployment).filter(({ reference }) => secretKind(reference) === "env");
}
