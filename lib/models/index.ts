/** Chat models per role, what they are asked and answer, usage and price, retries, scripted replies. */
export { type Attempt, withAttempts } from "./attempts.js";
export { asFactoryModel } from "./border.js";
export { resolvedCaching } from "./caching.js";
export { type ChatModelDeps, type ChatModelSettings, createChatModel } from "./chat-model.js";
export { loadDotEnv } from "./dotenv.js";
export {
  type Environment,
  environmentPricing,
  environmentPromptCache,
  environmentSettings,
  hasEnvironmentModel,
  type ModelProvider,
  type ModelSettings,
} from "./environment.js";
export {
  InvalidModelScriptError,
  InvalidModelSettingError,
  MissingModelSettingError,
  ModelCallError,
  ModelOverrideUnsupportedError,
  ModelScriptExhaustedError,
  ModelWaitTooLongError,
} from "./errors.js";
export {
  createInProcessModel,
  type InProcessAnswer,
  type InProcessRequest,
} from "./in-process.js";
export { createModelSet, type ModelFactory, type ModelSetOptions } from "./model-set.js";
export { costOf, type Price, type PricingTable, priceOf } from "./pricing.js";
export { checkCalls, takenCallIds } from "./raw-calls.js";
export {
  checkRetry,
  type FailedAttempt,
  isRetriedStatus,
  type RetryOptions,
  retryAfterMs,
  type Sleep,
} from "./retry.js";
export { sanitizeErrorText } from "./sanitize.js";
export { type ReplyChooser, replyChooser, type ScriptMessage, type ScriptView } from "./script-choice.js";
export { type ModelScript, parseModelScript, type ScriptReply } from "./script-file.js";
export { isScriptId } from "./script-id.js";
export { type ScriptStep, scriptedModel } from "./scripted.js";
export type {
  AttachedPicture,
  ChatModel,
  InvalidCall,
  ModelReply,
  ModelRequest,
  ModelRole,
  ModelSet,
} from "./types.js";
export { addUsage, addUsage as addSummaries, emptyUsage, formatUsage, hasUsage, type TokenCounts } from "./usage.js";
export { type WrapOptions, wrapChatModel } from "./wrap.js";
