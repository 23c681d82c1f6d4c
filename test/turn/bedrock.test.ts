import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type BedrockReply, type BedrockServer, startBedrockServer } from "../model-server/bedrock.js";
import { benches, ofType } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    tools: { allow: [write_file] }
    transitions: [{ to: close }]
  close: { instructions: Close. }
`;

let server: BedrockServer;
beforeEach(() => {
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIATESTTESTTEST");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "test-secret-key");
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const call = (name: string, args: Record<string, unknown>): BedrockReply => ({
  toolCalls: [{ id: `tooluse_${name}`, name, args }],
  usage: { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 90 },
});

async function run(env: Record<string, string> = {}) {
  server = await startBedrockServer([
    { text: "Writing.", ...call("write_file", { file_path: "a.txt", content: "x" }) },
    call("archmax_advance", { to: "close", reason: "done" }),
    { text: "All is written.", usage: { inputTokens: 10, outputTokens: 5 } },
  ]);
  vi.stubEnv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url);
  const bench = await open({
    spec: SPEC,
    env: { ARCHMAX_PROVIDER: "bedrock", ARCHMAX_MODEL: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0", ...env },
    pricing: { "claude-sonnet-4-5": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
  });
  const outcome = await bench.agent.workflow.send("s1", { message: "Go" });
  return { bench, outcome, sent: server.requests.map(({ body }) => body) };
}

describe("an agent on Bedrock", () => {
  it("R-271 R-282 R-284 R-285 R-286 marks the one static block, streams, counts and prices", async () => {
    const { bench, outcome, sent } = await run();

    expect(outcome).toMatchObject({ kind: "completed", reply: expect.stringContaining("All is written.") });
    expect(sent.map(({ system }) => system[1])).toEqual(Array(3).fill({ cachePoint: { type: "default" } }));
    expect(new Set(sent.map(({ system }) => system[0]?.text)).size).toBe(1);
    expect(sent[0]?.system[2]?.text).not.toBe(sent[2]?.system[2]?.text);
    const said = ofType(bench.events, "agent-text-delta").map(({ text }) => text);
    expect(said.length).toBeGreaterThan(2);
    expect(said.join("")).toBe("Writing.All is written.");
    expect(ofType(bench.events, "model-usage")[0]).toMatchObject({
      inputTokens: 100,
      outputTokens: 5,
      cacheReadTokens: 90,
      cacheCreationTokens: 0,
      costUsd: 0.000132,
      model: "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
    });
    expect(ofType(bench.events, "prompt-shaping")).toMatchObject([{ cache: "5m" }]);
    expect(ofType(bench.events, "warning")).toEqual([]);
  });

  it("R-282 H-39 sends the same texts and reaches the same end without the mark", async () => {
    const marked = await run();
    await server.close();
    const plain = await run({ ARCHMAX_PROMPT_CACHE: "off" });

    const texts = (sent: typeof plain.sent) =>
      sent.map(({ system, ...rest }) => ({
        system: system.flatMap(({ text }) => (text === undefined ? [] : [text])).join("\n\n"),
        ...rest,
      }));
    expect(texts(marked.sent)).toEqual(texts(plain.sent));
    expect(marked.outcome).toEqual(plain.outcome);
    expect(plain.sent.every(({ system }) => system.length === 1)).toBe(true);
  });
});
