/** A model of ours where one of LangChain's is asked for: what a model factory may give to take part at the border itself. */
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { ChatModel } from "./types.js";

const MODELS = new WeakMap<BaseChatModel, ChatModel>();

/**
 * A stand-in for a factory to return: `wrapChatModel` unwraps it, so that every call of its role comes to `model` as it
 * was asked, in no provider's shape. It can do nothing else.
 */
export function asFactoryModel(model: ChatModel): BaseChatModel {
  const standIn = Object.freeze({ model: model.id }) as unknown as BaseChatModel;
  MODELS.set(standIn, model);
  return standIn;
}

/** The model behind a stand-in. */
export function behindStandIn(given: BaseChatModel): ChatModel | undefined {
  return MODELS.get(given);
}
