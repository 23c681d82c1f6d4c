/** A model server and a client of it, for the tests that go over HTTP. */
import { afterEach } from "vitest";
import {
  type ModelServer,
  type ModelServerOptions,
  type ServerReply,
  startModelServer,
} from "../../test/model-server/index.js";
import { type ChatModelSettings, createChatModel } from "./chat-model.js";
import type { ModelCallError } from "./errors.js";
import type { ModelRequest } from "./types.js";
import { wrapChatModel } from "./wrap.js";

export const KEY = "sk-test-0123456789";
export const lookUp = {
  name: "look_up",
  description: "Looks up.",
  parameters: { type: "object", properties: { id: { type: "string" } } },
};
export const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: { static: "S", volatile: "V" },
  messages: [{ id: "1", role: "user", content: "hi" }],
  tools: [lookUp],
  messageId: "m2",
  ...more,
});
export const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
};

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** A client of a fresh model server; the server is closed after the test. */
export async function connect(options: ModelServerOptions | ServerReply[], settings: Partial<ChatModelSettings> = {}) {
  server = await startModelServer(Array.isArray(options) ? { replies: options } : options);
  const waits: number[] = [];
  const instance = await createChatModel(
    { baseUrl: server.url, apiKey: KEY, model: "test-model", ...settings },
    { sleep: async (ms) => void waits.push(ms), random: () => 0 },
  );
  return { model: wrapChatModel(instance), instance, server, waits };
}

/** The error of a call that must fail. */
export const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: unknown) => error as ModelCallError,
  );
