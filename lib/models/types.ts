/** The border to the model: what one call is asked and what it answers, free of any provider's shapes. */
import type { StoredMessage, ToolCall } from "../session/messages.js";
import type { Usage } from "../session/state.js";
import type { ToolDefinition } from "../tools/types.js";

/** What a model works as (H-12): an agent, a grader state, or the judge of a case's `grade`. */
export type ModelRole = "agent" | "grader" | "judge";

/** Anthropic's marks on a block, Bedrock's between two (some of its models keep five minutes only), or none. */
export type CacheStrategy = "anthropic" | "bedrock" | "bedrock-5m" | "none";

/** A picture beside the line that names it, or the line alone where it cannot be shown. */
export interface AttachedPicture {
  text: string;
  mediaType?: string;
  base64?: string;
}

/** What one model call is asked, free of any provider's shapes. */
export interface ModelRequest {
  /** The cacheable prefix, then what changes. An empty `volatile` is left out. */
  system: { static: string; volatile: string };
  /** System messages of their own behind the prompt, in place of messages that are not sent. */
  preface?: readonly string[];
  messages: readonly StoredMessage[];
  tools: readonly ToolDefinition[];
  /** Ids that the session's calls have, where the messages do not hold them all: no call of the answer gets one (F-66). */
  takenCallIds?: readonly string[];
  /** Id the answer will be stored under; call ids that are missing or repeated are made from it (F-66). */
  messageId: string;
  signal?: AbortSignal;
  /** Streamed text, in order. */
  onText?(delta: string): void;
  /** Told what the provider had reported of a call that fails. */
  onAbandoned?(usage: Omit<Usage, "costUsd">): void;
  /** By the id of an answer: shown right behind the answers it belongs to. */
  pictures?: ReadonlyMap<string, AttachedPicture>;
  promptCache?: { enabled: boolean; ttl: "5m" | "1h" };
  /** Attempts that earlier invocations made of this call. Default 0. */
  attempt?: number;
  /** How long a wait between attempts may last from now, in milliseconds; a longer one is thrown. Absent: any. */
  maxWaitMs?(): number;
}

/** A call whose arguments were cut off or are no JSON object: answered with an error, never run (F-64, F-65). */
export interface InvalidCall {
  callId: string;
  problem: string;
}

/** What one model call answered, free of any provider's shapes. */
export interface ModelReply {
  text: string;
  /** In message order, ids unique in the session; arguments always a JSON object (`{}` where invalid). */
  calls: ToolCall[];
  invalid: InvalidCall[];
  /** Absent when the provider reported nothing (F-63). Without cost: pricing is the caller's. */
  usage?: Omit<Usage, "costUsd">;
  /** The id the response reported, else the one asked for. */
  model?: string;
}

export interface ChatModel {
  /** Id this model was built for, if known. */
  id?: string;
  /** How its provider is told what to cache. */
  cacheStrategy?: CacheStrategy;
  call(request: ModelRequest): Promise<ModelReply>;
}

/** Chooses the model of a call by role and requested id; one instance per (role, id). */
export interface ModelSet {
  /** False when no model is configured at all (W-82). */
  configured: boolean;
  /**
   * How the model that serves agent states without an id of their own is told what to cache; undefined where a factory
   * makes it, which is not asked before a call.
   */
  cacheStrategy(requested?: string): CacheStrategy | undefined;
  /** `requested` is the state's `model`, else the agent's, else `settings.model` (R-280, H-15). Throws, naming the variable, when the environment lacks a setting. */
  forCall(role: ModelRole, requested?: string): Promise<ChatModel>;
  /**
   * The model of an agent's call that somebody has asked for by id: the factory's, else the environment's with that
   * id, also where an explicit model serves the other calls.
   *
   * @throws {ModelOverrideUnsupportedError} where there is an explicit model and no factory
   */
  override(id: string): Promise<ChatModel>;
  /** What `override` refuses whatever the id, before an input is accepted. @throws {ModelOverrideUnsupportedError} */
  checkOverride(id: string): void;
}
