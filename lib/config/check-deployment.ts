/** Holds a deployment's entrances against the workflows there are. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSpec } from "../spec/index.js";
import type { Deployment } from "./deployment.js";

/** Trigger ids by workflow; null for a workflow whose text cannot be read, of which nothing is claimed. */
export type TriggerTable = Readonly<Record<string, readonly string[] | null>>;

export interface DeploymentProblem {
  /** Key path into the configuration, such as `webhooks[refund-desk/mail]`. */
  at: string;
  message: string;
}

/** Every entrance that names a workflow or trigger that does not exist. */
export function checkDeployment(deployment: Deployment, workflows: TriggerTable): DeploymentProblem[] {
  const targets = [
    ...Object.keys(deployment.webhooks).map((key) => {
      const slash = key.indexOf("/");
      return { at: `webhooks[${key}]`, workflow: key.slice(0, slash), trigger: key.slice(slash + 1) };
    }),
    ...Object.entries(deployment.events).map(([name, rule]) => ({ ...rule, at: `events.${name}` })),
    ...Object.entries(deployment.schedules).map(([name, schedule]) => ({ ...schedule, at: `schedules.${name}` })),
  ];
  return targets.flatMap(({ at, workflow, trigger }) => {
    const message = problemOf(workflow, trigger, workflows);
    return message === null ? [] : [{ at, message }];
  });
}

/** The triggers of a root's workflows, read from their `workflow.yaml`. */
export function readTriggers(rootDir: string): TriggerTable {
  const folder = join(rootDir, "workflows");
  const table: Record<string, readonly string[] | null> = {};
  for (const slug of foldersIn(folder)) {
    const file = join(folder, slug, "workflow.yaml");
    const source = textOf(file);
    if (source === null) continue;
    const { spec } = parseSpec(source, { file });
    table[slug] = spec ? Object.values(spec.states).flatMap((state) => Object.keys(state.triggers ?? {})) : null;
  }
  return table;
}

function problemOf(workflow: string, trigger: string, workflows: TriggerTable): string | null {
  if (!Object.hasOwn(workflows, workflow)) {
    return `There is no workflow "${workflow}"; there are: ${wordsOf(Object.keys(workflows))}.`;
  }
  const triggers = workflows[workflow];
  if (!triggers || triggers.includes(trigger)) return null;
  return `The workflow "${workflow}" has no trigger "${trigger}"; it declares: ${wordsOf(triggers)}.`;
}

function wordsOf(names: readonly string[]): string {
  return names.length === 0 ? "none" : names.toSorted().join(", ");
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch {
    return [];
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}
