/** A Bedrock server and a client of it, for the tests that go over HTTP. */
import { afterEach, beforeEach, vi } from "vitest";
import { type BedrockReply, type BedrockServer, startBedrockServer } from "../../test/model-server/bedrock.js";
import { type ChatModelSettings, createChatModel } from "./chat-model.js";
import { wrapChatModel } from "./wrap.js";

export const CLAUDE = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";

let server: BedrockServer | undefined;
beforeEach(() => {
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTEST");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test-secret-key");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server?.close();
  server = undefined;
});

/** A client of a fresh server; the server is closed after the test. */
export async function connectBedrock(
  replies: Parameters<typeof startBedrockServer>[0] | BedrockReply[],
  settings: Partial<ChatModelSettings> = {},
) {
  server = await startBedrockServer(replies);
  vi.stubEnv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url);
  const waits: number[] = [];
  const instance = await createChatModel(
    { provider: "bedrock", baseUrl: "", apiKey: "", model: CLAUDE, ...settings },
    { sleep: async (ms) => void waits.push(ms), random: () => 0 },
  );
  return { model: wrapChatModel(instance), instance, server, waits };
}
