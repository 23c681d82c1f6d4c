/** Composing a workflow: its machine, tools, models, prompt, and the tables the kernel reads (H-10, H-25…H-31). */

import { serializedGraph } from "../artifacts/index.js";
import { checkAgentSlugs, checkExtensions, resolveExtensions } from "../extensions/index.js";
import { declaresMachine, loadMachine } from "../intake/index.js";
import type { InheritedDenials } from "../kernel/types.js";
import { PLAIN_WORKFLOW, plainMachine, renderStaticPrompt } from "../machine/index.js";
import type { Machine } from "../machine/types.js";
import {
  checkRetry,
  createModelSet,
  type Environment,
  environmentPricing,
  environmentPromptCache,
  resolvedCaching,
} from "../models/index.js";
import type { Sandbox } from "../sandbox/types.js";
import { UnknownTriggerError } from "../session/errors.js";
import type { Clock } from "../session/ports.js";
import { DEFAULT_WORKFLOW, MANUAL_TRIGGER } from "../spec/index.js";
import {
  CONTROL_NAMES,
  controlDefinition,
  type RuntimeTool,
  scriptDefinitions,
  type ToolDefinition,
  writeTodosDefinition,
} from "../tools/index.js";
import { checkMemoryMount } from "../turn/compaction.js";
import type { Emitter } from "../turn/emitter.js";
import { pictureLimits } from "../turn/pictures.js";
import { unreachableBounds } from "../turn/step-limit.js";
import type { Assembly } from "../turn/types.js";
import { type Authoring, listSkills, mountInfos, type SkillEntry } from "../workspace/index.js";
import { compositionText, delegationDefinitions } from "./delegations.js";
import { createOfferedTools, type OfferedTools } from "./offered-tools.js";
import { checkTurnDefaults, pinnedClock, type RuntimeParams } from "./options.js";
import { resolveSources, type Sources } from "./sources.js";

/** What all workflows of one agent share. */
export interface Composer {
  /** Null where nothing is read from a folder. */
  rootDir: string | null;
  /** What governs the agent, `PLAIN_WORKFLOW` where nothing does (H-25); null for a worker, which has no workflow of its own. */
  own: string | null;
  /**
   * @param inherited - of a child: the workflows that led to it, outermost first, whose denials bind it; only the
   *   spec and the prompt made from it differ from a composition for top-level sessions
   */
  compose(workflow: string, inherited?: readonly InheritedDenials[]): Promise<Assembly>;
  /** What the composition is made from, to tell whether it has changed. */
  text(workflow: string): Promise<string>;
  authoring: Authoring;
  /** Names of the mounts. */
  mounts: readonly string[];
  tools: OfferedTools;
}

export async function createComposer(
  params: RuntimeParams,
  given: {
    readEnv(rootDir: string | null): Environment;
    sandbox: Sandbox;
    emitter: Emitter;
    isAgent: boolean;
    clock: Clock;
    /** Ends what assembly waits for. */
    signal: AbortSignal;
  },
): Promise<Composer> {
  const { sandbox, emitter, isAgent } = given;
  const offered = await createOfferedTools(params, given);
  const pictures = pictureLimits(params.images);
  const pinnedClockMs = pinnedClock(params.clock);
  const { workflow: governing = DEFAULT_WORKFLOW, ...options } = params;
  checkExtensions({ ...options, ...(governing === false ? {} : { workflow: governing }) });
  checkRetry(params.retry);
  const sources = resolveSources(params);
  const { rootDir, authoring, mounts, authored } = sources;
  checkMemoryMount(params.compaction, mountInfos(mounts));
  if (Object.keys(params.agents ?? {}).length > 0) checkAgentSlugs(params, await authoring.listWorkflows());
  const env = given.readEnv(rootDir);
  const models = createModelSet({
    env,
    ...(rootDir !== null ? { rootDir } : {}),
    ...(params.model ? { model: params.model } : {}),
    ...(params.modelFactory ? { modelFactory: params.modelFactory } : {}),
    ...(params.retry ? { retry: params.retry } : {}),
  });
  const bundles = await listSkills(authored, sources.skills);
  tellOfSkills(bundles, emitter);
  const skills = bundles.filter((skill) => skill.served);
  const tables = {
    mounts: mountInfos(mounts),
    skills: skills.map((skill) => skill.slug),
    skillSources: sources.skills,
    essentialTools: params.essentialTools ?? [],
    policyRules: params.policyRules ?? [],
  };
  const cache = environmentPromptCache(env);
  const own = isAgent ? await ownWorkflow(params.workflow, authoring) : null;
  const seeded = Object.fromEntries(Object.entries(params.variables ?? {}).filter(([, value]) => value !== undefined));
  const shared = {
    models,
    sandbox,
    authoring,
    mounts,
    skillDescriptions: new Map(skills.map((skill) => [skill.slug, skill.description])),
    skillFiles: new Map(skills.map((skill) => [skill.slug, skill.file])),
    pricing: params.pricing ?? environmentPricing(env),
    pictures,
    pinnedClockMs,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  return {
    rootDir,
    own,
    authoring,
    mounts: tables.mounts.map((mount) => mount.name),
    tools: offered,
    text: async (workflow) => `${offered.version()} ${await compositionText(authoring, workflow)}`,
    async compose(workflow, inherited) {
      const all = () => offered.registry({ env, rootDir });
      // No caller leads to a plain agent: as a child it is a workflow that there is none of.
      const machine =
        workflow === PLAIN_WORKFLOW && !inherited
          ? plainMachine({
              tools: await all().then(({ tools, hostTools }) => [...definitionsOf(tools, hostTools).keys()]),
              skills: tables.skills,
              mounts: tables.mounts.map(({ name }) => name),
            })
          : await loadMachine(authoring, workflow);
      const trigger = inherited ? MANUAL_TRIGGER : defaultTrigger(params, machine, own);
      if (!inherited) checkTurnDefaults(params);
      const asked = machine.spec.settings?.prompt_cache;
      const promptCache = {
        enabled: params.promptCache?.enabled ?? asked?.enabled ?? cache.enabled ?? true,
        ttl: params.promptCache?.ttl ?? asked?.ttl ?? cache.ttl ?? "5m",
      } as const;
      const extensions = resolveExtensions(params, {
        workflow,
        callers: (inherited ?? []).map((caller) => caller.workflow),
        ...(own !== null ? { root: own } : {}),
      });
      const ownModel = extensions.model ?? machine.spec.settings?.model;
      if (!machine.plain) emitter.emit({ type: "graph-topology", topology: serializedGraph(machine) });
      emitter.emit({
        type: "prompt-shaping",
        cache: resolvedCaching(promptCache, models.cacheStrategy(ownModel)),
        withheld: [],
      });
      warnInertModels(params, { machine, extensions }, emitter);
      warnUnreachableBounds(params, machine, emitter);
      const delegations = await delegationDefinitions(authoring, machine, (message) =>
        emitter.emit({ type: "warning", scope: "delegation", message }),
      );
      const registry = await all();
      const { toolPaths, hostTools } = registry;
      const basic = definitionsOf(registry.tools, hostTools);
      const definitions = machine.plain
        ? basic
        : new Map([...basic, ...named([...delegations, ...CONTROL_NAMES.map(controlDefinition)])]);
      const promptOf = (of: Machine) =>
        staticPromptOf(of, { sources, systemPrompt: params.systemPrompt, child: inherited !== undefined });
      return {
        ...shared,
        tools: new Map(registry.tools.map((tool) => [tool.name, tool])),
        tables: { ...tables, toolPaths, hostTools, inherited: inherited ?? [] },
        registered: [...definitions.keys()],
        definitions,
        machine,
        staticPrompt: await promptOf(machine),
        staticPromptOf: promptOf,
        promptCache,
        extensions,
        defaultTrigger: trigger,
        variables: inherited ? {} : seeded,
      };
    },
  };
}

/** H-32. Of a workflow beside the agent's own, only where it declares the trigger. @throws {UnknownTriggerError} */
function defaultTrigger({ trigger }: RuntimeParams, machine: Machine, own: string | null): string {
  if (!trigger || machine.triggers.has(trigger.id)) return trigger?.id ?? MANUAL_TRIGGER;
  if (machine.workflow === own) throw new UnknownTriggerError(trigger.id, [...machine.triggers.keys()]);
  return MANUAL_TRIGGER;
}

/** H-25. */
async function ownWorkflow(given: string | false | undefined, authoring: Authoring): Promise<string> {
  if (given !== undefined) return given === false ? PLAIN_WORKFLOW : given;
  return (await declaresMachine(authoring, DEFAULT_WORKFLOW)) ? DEFAULT_WORKFLOW : PLAIN_WORKFLOW;
}

/** Registration order: file tools, todos, scripts, the host's tools; then the workflows and the controls (R-219, W-278). */
function definitionsOf(tools: readonly RuntimeTool[], hostTools: readonly string[]): Map<string, ToolDefinition> {
  const isHost = (tool: RuntimeTool) => hostTools.includes(tool.name);
  return named([
    ...tools.filter((tool) => !isHost(tool)),
    writeTodosDefinition,
    ...scriptDefinitions,
    ...tools.filter(isHost),
  ]);
}

function named(tools: readonly ToolDefinition[]): Map<string, ToolDefinition> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

/** H-11: one warning names the ids that an explicit model makes inert. */
function warnInertModels(
  params: RuntimeParams,
  { machine, extensions }: Pick<Assembly, "machine" | "extensions">,
  emitter: Emitter,
): void {
  if (!params.model) return;
  const ids = [
    ...(extensions.model !== undefined ? [`${extensions.model} (agents.${machine.workflow})`] : []),
    ...(machine.spec.settings?.model ? [`${machine.spec.settings.model} (settings)`] : []),
    ...[...machine.states.values()]
      .filter((state) => state.spec.model)
      .map((state) => `${state.spec.model} (${state.slug})`),
  ];
  if (ids.length === 0) return;
  emitter.emit({
    type: "warning",
    scope: "model",
    message: `The given model serves every call; inert: ${ids.join(", ")}.`,
  });
}

/** S-53. */
function warnUnreachableBounds({ host }: RuntimeParams, machine: Machine, emitter: Emitter): void {
  if (host?.invocationLimitMs === undefined) return;
  for (const message of unreachableBounds(machine, host.invocationLimitMs)) {
    emitter.emit({ type: "warning", scope: "workflow", message });
  }
}

/** A-67, W-220: what is wrong with a bundle is told and stops nothing. */
function tellOfSkills(bundles: readonly SkillEntry[], emitter: Emitter): void {
  for (const { file, problems } of bundles) {
    for (const { message } of problems)
      emitter.emit({ type: "warning", scope: "skills", message: `${file}: ${message}` });
  }
  const names = bundles.filter(({ served }) => served).map(({ slug }) => slug);
  if (names.length > 0) emitter.emit({ type: "skills-loaded", names });
}

async function staticPromptOf(
  machine: Machine,
  { sources, systemPrompt, child }: { sources: Sources; systemPrompt?: string; child: boolean },
): Promise<string> {
  const { authoring, authored, mounts } = sources;
  const textOf = async (path: string): Promise<string | null> => {
    const { content } = (await authored.readRaw(path)).data ?? {};
    return typeof content === "string" ? content : null;
  };
  const [agentsMd, platformOverride, workflowMd] = await Promise.all([
    textOf("/AGENTS.md"),
    textOf("/.platform/system/GRAPH_STATE.md"),
    authoring.readAddendum(machine.workflow),
  ]);
  return renderStaticPrompt({
    machine,
    child,
    mounts: mountInfos(mounts),
    agentsMd,
    hostPrompt: systemPrompt ?? null,
    platformOverride,
    workflowMd,
  });
}
