/** Which model serves a call: by role and requested id, one instance each (H-11…H-14, R-279…R-281). */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { cacheStrategyOf, environmentCacheStrategy } from "./caching.js";
import { type ChatModelDeps, type ChatModelSettings, createChatModel } from "./chat-model.js";
import { type Environment, environmentSettings, hasEnvironmentModel, type ModelSettings } from "./environment.js";
import { ModelOverrideUnsupportedError } from "./errors.js";
import type { RetryOptions } from "./retry.js";
import { isScriptId } from "./script-id.js";
import type { ChatModel, ModelRole, ModelSet } from "./types.js";
import { wrapChatModel } from "./wrap.js";

/** Builds a host's models (H-12). `env` is evaluated only when called; `judge` is asked without `requested`. */
export type ModelFactory = (
  role: ModelRole,
  env: () => ModelSettings,
  requested?: string,
) => BaseChatModel | Promise<BaseChatModel>;

export interface ModelSetOptions extends ChatModelDeps {
  /** The environment, `.env` included (`loadDotEnv`). */
  env: Environment;
  /** Serves `agent` and `grader` whatever id a workflow declares (H-11). */
  model?: BaseChatModel;
  modelFactory?: ModelFactory;
  /** A script file that answers instead of the environment's endpoint (H-133). */
  script?: string;
  retry?: RetryOptions;
  emptyContent?: "text" | "null";
}

/** The models of one composition. Nothing is loaded or built before the first call of `forCall`. */
export function createModelSet(options: ModelSetOptions): ModelSet {
  const { model, modelFactory, script, env } = options;
  const built = new Map<string, Promise<ChatModel>>();

  async function build(role: ModelRole, requested: string | undefined): Promise<ChatModel> {
    if (modelFactory !== undefined) {
      const made = await modelFactory(role, () => environmentSettings(env), requested);
      return wrapChatModel(made, { id: requested, role });
    }
    const settings = endpointSettings(options, requested);
    return wrapChatModel(await createChatModel(settings, options), { id: requested ?? settings.model, role });
  }

  function kept(key: unknown[], make: () => Promise<ChatModel>): Promise<ChatModel> {
    const name = JSON.stringify(key);
    const known = built.get(name);
    if (known !== undefined) return known;
    const made = make();
    built.set(name, made);
    // A failure is not kept: the setting it misses may be there at the next call.
    made.catch(() => built.delete(name));
    return made;
  }

  function checkOverride(id: string): void {
    if (model !== undefined && modelFactory === undefined) throw new ModelOverrideUnsupportedError(id);
  }

  return {
    configured: model !== undefined || modelFactory !== undefined || script !== undefined || hasEnvironmentModel(env),
    cacheStrategy(requested) {
      if (model !== undefined) return cacheStrategyOf(model);
      if (modelFactory !== undefined) return undefined;
      return script === undefined ? environmentCacheStrategy(env, requested) : "none";
    },
    forCall(role, requested) {
      // An explicit model outranks every id (H-11), and no id reaches a judge (H-12).
      if (model !== undefined && role !== "judge") return kept([role], async () => wrapChatModel(model, { role }));
      const id = role === "judge" ? undefined : requested;
      return kept([role, id], () => build(role, id));
    },
    checkOverride,
    override: async (id) => {
      checkOverride(id);
      return kept(["agent", id], () => build("agent", id));
    },
  };
}

/** The environment's settings with the requested id in place; a script answers for every id. */
function endpointSettings(options: ModelSetOptions, requested: string | undefined): ChatModelSettings {
  const { script, env, retry, emptyContent } = options;
  if (script !== undefined) return { baseUrl: "", apiKey: "", model: `script:${script}` };
  const settings = environmentSettings(env);
  const model = isScriptId(settings.model) ? settings.model : (requested ?? settings.model);
  return { ...settings, model, retry, emptyContent };
}
