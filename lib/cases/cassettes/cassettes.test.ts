import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder, writeTree } from "../../../test/harness/temporary.js";
import { createInProcessModel, createModelSet, type InProcessAnswer, type ModelFactory } from "../../models/index.js";
import type { ModelRequest } from "../../models/types.js";
import type { StoredMessage } from "../../session/messages.js";
import type { CaseResult } from "../types.js";
import { type CassettesOptions, createCassettes } from "./index.js";

const CASE = "workflows/desk/tests/refund.test.yaml";
const CASSETTE = "workflows/desk/tests/refund.cassette.yaml";
const DOCUMENT = "title: A refund\ndescription: It is paid.\nclock: 2026-03-20\nsteps: []\n";

function aRoot(document = DOCUMENT): string {
  const { dir, remove } = temporaryFolder();
  onTestFinished(remove);
  writeTree(dir, { [CASE]: document });
  return dir;
}

type Answers = (InProcessAnswer | Error)[];

/** A host's models that answer in order and keep how often they were asked. */
function answering(answers: Answers): ModelFactory & { asked: number } {
  const factory = async () =>
    createInProcessModel({
      model: "real",
      generate() {
        const answer = answers[made.asked];
        made.asked += 1;
        if (answer instanceof Error) throw answer;
        return answer ?? { content: "more" };
      },
    });
  const made = Object.assign(factory, { asked: 0 });
  return made;
}

function options(rootDir: string, mode: "replay" | "record", more: Partial<CassettesOptions> = {}): CassettesOptions {
  return { rootDir, workflow: "desk", mode, env: {}, sessionIdForCase: () => `run-${mode}-1`, ...more };
}

const TOOL = { name: "lookup", description: "Finds an order.", parameters: { type: "object", properties: {} } };

function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: { static: "You work the desk.\n", volatile: "## You are in state assess" },
    messages: [{ id: "u1", role: "user", content: "Please refund order 7." }],
    tools: [TOOL],
    messageId: "m1",
    ...fields,
  };
}

/** Asks the models of the case, as a turn does. */
function asking(factory: ModelFactory | undefined) {
  const models = createModelSet({ env: {}, modelFactory: factory! });
  return async (given: ModelRequest, role: "agent" | "grader" | "judge" = "agent", requested?: string) =>
    (await models.forCall(role, requested)).call(given);
}

function aResult(fields: Partial<CaseResult> = {}): CaseResult {
  return { id: "refund", sessionId: "s", verdict: { status: "passed", failures: [] }, records: [], ...fields };
}

/** The conversation after the model's first answer and the tool's. */
function afterLookup(callId: string, result = "It is open since 2026-03-01T10:00:00.000Z."): StoredMessage[] {
  return [
    ...request().messages,
    { id: "m1", role: "assistant", content: "", tool_calls: [{ id: callId, name: "lookup", args: { order: "7" } }] },
    { id: "t1", role: "tool", tool_call_id: callId, name: "lookup", content: result },
  ];
}

const USAGE = { inputTokens: 900, outputTokens: 20, cacheReadTokens: 100, cacheCreationTokens: 0 };
const TWO_STEPS: Answers = [
  { toolCalls: [{ name: "lookup", args: { order: "7" }, id: "call_9f" }], usage: USAGE },
  { content: "It is refunded.\n" },
];

/** Records the two steps of a conversation. */
async function recorded(rootDir: string, more: Partial<CassettesOptions> = {}) {
  const cassettes = createCassettes(options(rootDir, "record", { modelFactory: answering(TWO_STEPS), ...more }));
  const ask = asking(cassettes.modelForCase(CASE));
  await ask(request());
  await ask(request({ messages: afterLookup("call_9f"), messageId: "m2" }));
  return cassettes.settle(aResult());
}

describe("a cassette", () => {
  it("C-74 holds what a case's models were asked and answered, shared texts and said messages once", async () => {
    const root = aRoot();

    expect(await recorded(root)).toMatchObject({ recorded: { file: CASSETTE, exchanges: 2 } });

    expect(readFileSync(join(root, CASSETTE), "utf8").replace(/lookup [0-9a-f]{12}/, "lookup <fingerprint>")).toBe(
      `# What this case's models were asked, and what they answered. parkway test replays it; parkway test --record makes it anew.
version: 1
texts:
  s1: |
    You work the desk.
  s2: "## You are in state assess"
tools:
  t1:
    - lookup <fingerprint>
exchanges:
  - role: agent
    system:
      - s1
      - s2
    tools: t1
    said:
      - user: Please refund order 7.
    reply:
      calls:
        - name: lookup
          args:
            order: "7"
      model: real
      usage:
        inputTokens: 900
        outputTokens: 20
        cacheReadTokens: 100
  - role: agent
    after: 1
    system:
      - s1
      - s2
    tools: t1
    said:
      - tool: lookup
        text: It is open since <time>.
    reply:
      text: |
        It is refunded.
      model: real
`,
    );
  });

  it("C-74 answers the same requests in another run, with call ids of that run, the usage and the model's id", async () => {
    const root = aRoot();
    await recorded(root);
    const cassettes = createCassettes(options(root, "replay"));
    const ask = asking(cassettes.modelForCase(CASE));
    const told: string[] = [];

    const first = await ask(request({ messageId: "m8" }));
    const later = afterLookup(first.calls[0]!.id, "It is open since 2027-01-01T09:30:00Z.");
    const second = await ask(request({ messages: later, messageId: "m9", onText: (text) => told.push(text) }));

    expect(first).toEqual({
      text: "",
      calls: [{ id: "m8-1", name: "lookup", args: { order: "7" } }],
      invalid: [],
      usage: USAGE,
      model: "real",
    });
    expect([second.text, told]).toEqual(["It is refunded.\n", ["It is refunded.\n"]]);
    expect(cassettes.settle(aResult())).toEqual({ result: aResult() });
  });

  it("F-66 C-74 gives no call an id that the conversation has already", async () => {
    const root = aRoot();
    await recorded(root);
    const ask = asking(createCassettes(options(root, "replay")).modelForCase(CASE));

    // What the recording holds of a conversation has no ids, so any will do.
    const first = await ask(request({ messageId: "t" }));
    expect(first.calls.map(({ id }) => id)).toEqual(["t-1"]);
    const again = aRoot();
    const twice: Answers = [TWO_STEPS[0]!, TWO_STEPS[0]!];
    const cassettes = createCassettes(options(again, "record", { modelFactory: answering(twice) }));
    const record = asking(cassettes.modelForCase(CASE));
    await record(request());
    await record(request({ messages: afterLookup("call_9f"), messageId: "m2" }));
    cassettes.settle(aResult());

    const replay = asking(createCassettes(options(again, "replay")).modelForCase(CASE));
    const second = await replay(request({ messages: afterLookup("m2-1"), messageId: "m2" }));
    expect(second.calls.map(({ id }) => id)).toEqual(["m2-2"]);
  });

  it("C-74 gives the same text whenever, wherever and on whatever platform it is recorded", async () => {
    const [one, two] = [aRoot(), aRoot(DOCUMENT.replaceAll("\n", "\r\n"))];
    await recorded(one);
    const cassettes = createCassettes(
      options(two, "record", { modelFactory: answering(TWO_STEPS), sessionIdForCase: () => "another" }),
    );
    const ask = asking(cassettes.modelForCase(CASE));
    const system = { static: "You work the desk.\r\n", volatile: "## You are in state assess" };
    const tools = [{ parameters: { properties: {}, type: "object" }, description: TOOL.description, name: TOOL.name }];
    await ask(request({ system, tools, messageId: "x1" }));
    await ask(
      request({ system, tools, messages: afterLookup("call_9f", "It is open since 2031-12-31T23:59:59+02:00.") }),
    );
    cassettes.settle(aResult());

    expect(readFileSync(join(two, CASSETTE), "utf8")).toBe(readFileSync(join(one, CASSETTE), "utf8"));
  });

  it.each([
    [
      "an instruction",
      request({ system: { static: "You work the desk.\nBe brief.\n", volatile: "## You are in state assess" } }),
      "+Be brief.",
    ],
    [
      "what a person says",
      request({ messages: [{ id: "u1", role: "user", content: "Please refund order 8." }] }),
      "+Please refund order 8.",
    ],
    ["a tool's description", request({ tools: [{ ...TOOL, description: "Finds it." }] }), "+lookup "],
    ["the tools on offer", request({ tools: [] }), "-lookup "],
  ])(
    "C-45 C-74 where the workflow changes %s, nothing is answered and the difference is shown",
    async (_what, asked, line) => {
      const root = aRoot();
      await recorded(root);
      const cassettes = createCassettes(options(root, "replay"));
      const ask = asking(cassettes.modelForCase(CASE));

      await expect(ask(asked)).rejects.toMatchObject({ code: "cassette-mismatch" });
      await expect(ask(request())).rejects.toMatchObject({ code: "cassette-mismatch" });

      const { result } = cassettes.settle(
        aResult({ error: "turn-error", verdict: { status: "failed", failures: ["turn-error", "succeeded: no"] } }),
      );
      expect(result.error).toMatch(
        /^The workflow asks the agent model something else than exchange 1 of workflows\/desk\/tests\/refund\.cassette\.yaml\. .*--record.*--live/,
      );
      expect(result.error).toContain("--- recorded\n+++ asked now\n@@");
      expect(result.error!.split("\n").some((shown) => shown.startsWith(line))).toBe(true);
      expect(result.verdict).toEqual({ status: "failed", failures: [result.error, "succeeded: no"] });
    },
  );

  it.each([
    ["another role", "grader", undefined, "asks the grader model once more than"],
    ["another model", "agent", "large", "+model: large"],
  ] as const)("C-45 C-74 %s is another question", async (_what, role, requested, says) => {
    const root = aRoot();
    await recorded(root);
    const ask = asking(createCassettes(options(root, "replay")).modelForCase(CASE));

    await expect(ask(request(), role, requested)).rejects.toThrow(says);
  });

  it("C-45 C-74 fails a case that asks less than was recorded, unless it had failed anyway", async () => {
    const root = aRoot();
    await recorded(root);
    const cassettes = createCassettes(options(root, "replay"));
    await asking(cassettes.modelForCase(CASE))(request());

    const halted = aResult({ verdict: { status: "failed", failures: ["parked: it is not"] } });
    expect(cassettes.settle(halted).result).toEqual(halted);
    expect(cassettes.settle(aResult()).result).toMatchObject({
      error: expect.stringContaining("an exchange that was not asked for"),
      verdict: { status: "failed" },
    });
  });

  it("C-74 answers requests that come in another order, as those of children that run at once do", async () => {
    const root = aRoot();
    await recorded(root);
    const cassettes = createCassettes(options(root, "replay"));
    const ask = asking(cassettes.modelForCase(CASE));

    expect((await ask(request({ messages: afterLookup("c") }))).text).toBe("It is refunded.\n");
    expect((await ask(request())).calls).toHaveLength(1);
    expect(cassettes.settle(aResult()).result).toEqual(aResult());
  });

  it.each([
    ["the case pins the clock", DOCUMENT, true],
    ["it does not", DOCUMENT.replace(/clock.*\n/, ""), false],
  ])("C-12 C-74 the time that is stated counts where %s", async (_what, document, counts) => {
    const root = aRoot(document);
    const at = (day: string) =>
      request({
        system: {
          static: "",
          volatile: `It is Friday, ${day} 10:00 UTC, rounded down to ten minutes. Local time (Europe/Rome): Friday, ${day} 11:00.`,
        },
      });
    const recording = createCassettes(options(root, "record", { modelFactory: answering([]) }));
    await asking(recording.modelForCase(CASE))(at("2026-03-20"));
    recording.settle(aResult());

    const answer = asking(createCassettes(options(root, "replay")).modelForCase(CASE))(at("2026-03-27"));

    if (counts) await expect(answer).rejects.toThrow("+It is Friday, 2026-03-27");
    else expect((await answer).text).toBe("more");
  });

  it("C-54 C-74 the run's own session id is no difference", async () => {
    const root = aRoot();
    const named = (id: string) =>
      request({ messages: [{ id: "u1", role: "user", content: `You are ${id}, ${id}~1 helps.` }] });
    const recording = createCassettes(options(root, "record", { modelFactory: answering([]) }));
    await asking(recording.modelForCase(CASE))(named("run-record-1"));
    recording.settle(aResult());

    const ask = asking(createCassettes(options(root, "replay")).modelForCase(CASE));
    expect((await ask(named("run-replay-1"))).text).toBe("more");
  });

  it("C-74 leaves a case without one to the models that are configured", () => {
    expect(createCassettes(options(aRoot(), "replay")).modelForCase(CASE)).toBeUndefined();
  });

  it.each([
    ["no YAML", "exchanges: [", "flow"],
    ["another shape", "version: 1\nexchanges:\n  - role: robot\n", "exchanges.0.role"],
    ["a text that is not there", "version: 1\nexchanges:\n  - { role: agent, system: [s1], reply: {} }\n", "s1"],
    [
      "an exchange before it that is none",
      "version: 1\nexchanges:\n  - { role: agent, after: 1, system: [], reply: {} }\n",
      "after 1",
    ],
  ])("C-45 C-74 one that holds %s fails its case and says what to do", async (_what, source, says) => {
    const root = aRoot();
    writeFileSync(join(root, CASSETTE), source);
    const cassettes = createCassettes(options(root, "replay"));

    await expect(asking(cassettes.modelForCase(CASE))(request())).rejects.toMatchObject({ code: "invalid-cassette" });
    const { error } = cassettes.settle(aResult()).result;
    expect(error).toContain(says);
    expect(error).toContain("--record");
  });
});

describe("recording", () => {
  it.each([
    ["a model call failed", [TWO_STEPS[0]!, new Error("overloaded")], aResult(), "overloaded"],
    ["the case died", TWO_STEPS, aResult({ error: "took longer than 5 s" }), "did not reach its end"],
  ])("C-74 keeps the cassette of before where %s, and says so", async (_what, answers, result, says) => {
    const root = aRoot();
    writeFileSync(join(root, CASSETTE), "before");
    const cassettes = createCassettes(options(root, "record", { modelFactory: answering(answers) }));
    const ask = asking(cassettes.modelForCase(CASE));
    await ask(request());
    await ask(request({ messages: afterLookup("call_9f") })).catch(() => {});

    expect(cassettes.settle(result).recorded).toEqual({ file: CASSETTE, kept: expect.stringContaining(says) });
    expect(readFileSync(join(root, CASSETTE), "utf8")).toBe("before");
    expect(readdirSync(join(root, "workflows/desk/tests")).sort()).toEqual([
      "refund.cassette.yaml",
      "refund.test.yaml",
    ]);
  });

  it("C-74 leaves nothing half written where the file cannot be put in place, and says so", async () => {
    const root = aRoot();
    writeTree(root, { [`${CASSETTE}/in-the-way`]: "" });

    expect(await recorded(root)).toEqual({
      result: aResult(),
      recorded: { file: CASSETTE, kept: expect.stringMatching(/EISDIR|ENOTEMPTY|EEXIST/) },
    });
    expect(readdirSync(join(root, "workflows/desk/tests")).sort()).toEqual([
      "refund.cassette.yaml",
      "refund.test.yaml",
    ]);
  });

  it("C-74 records a case whose assertion failed, since it reached its end", async () => {
    const root = aRoot();
    const cassettes = createCassettes(options(root, "record", { modelFactory: answering(TWO_STEPS) }));
    await asking(cassettes.modelForCase(CASE))(request());

    const failed = aResult({ verdict: { status: "failed", failures: ["reply.includes: no"] } });
    expect(cassettes.settle(failed)).toEqual({ result: failed, recorded: { file: CASSETTE, exchanges: 1 } });
  });

  it("C-74 removes the cassette of a case that asks no model any more", () => {
    const root = aRoot();
    writeFileSync(join(root, CASSETTE), "before");
    const cassettes = createCassettes(options(root, "record", { modelFactory: answering([]) }));
    cassettes.modelForCase(CASE);

    cassettes.settle(aResult());

    expect(existsSync(join(root, CASSETTE))).toBe(false);
  });

  it("W-82 C-74 makes nobody believe in a model where none is configured, and records nothing", () => {
    const root = aRoot();
    writeFileSync(join(root, CASSETTE), "before");
    const cassettes = createCassettes(options(root, "record"));

    expect(cassettes.modelForCase(CASE)).toBeUndefined();
    expect(cassettes.settle(aResult())).toEqual({ result: aResult() });
    expect(readFileSync(join(root, CASSETTE), "utf8")).toBe("before");
  });

  it.each([
    [
      "the value of a variable that is named as a secret",
      { SHOP_API_KEY: "hunter-22-and-more" },
      "hunter-22-and-more",
      "SHOP_API_KEY",
    ],
    ["a value that JSON writes otherwise", { DB_PASSWORD: 'quo"ted-value' }, 'quo"ted-value', "DB_PASSWORD"],
    ["what only a secret looks like", {}, "sk-abcdefghijklmnopqrstuvwx", "an API key"],
    [
      "a variable whose name ends in its kind",
      { PGPASSWORD: "hunter-22-and-more" },
      "hunter-22-and-more",
      "PGPASSWORD",
    ],
    [
      "a line of a value that has many",
      { SIGNING_KEY: "first\nMIIEvQIBADANBgkqhkiG9w0B\nlast" },
      "first\n  MIIEvQIBADANBgkqhkiG9w0B\nlast",
      "SIGNING_KEY",
    ],
    [
      "a value in JSON that a tool has answered in JSON",
      { SMTP_PASS: 'quo"ted-value' },
      JSON.stringify(JSON.stringify({ smtp: 'quo"ted-value' })),
      "SMTP_PASS",
    ],
    [
      "password of a variable's address",
      { DATABASE_URL: "postgres://desk:s3cret%2Fword@db.example/desk" },
      "s3cret/word",
      "DATABASE_URL",
    ],
    ["an address with a password", {}, "postgres://desk:hunter2@db.example/desk", "an address with a password"],
    ["a bearer token", {}, "Authorization: Bearer 0af7651916cd43dd8448eb211c80319c", "a bearer token"],
    ["credentials of a header", {}, "Authorization: Basic ZGVzazpodW50ZXIyMg==", "Basic authentication"],
    ["a key in a header", {}, '{"x-api-key":"0af7651916cd43dd"}', "named as a secret"],
    ["a web token", {}, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJkZXNrIn0.c2lnbmF0dXJl", "a JSON Web Token"],
    ["a key of this product", {}, `pw_prod_k1a2b3c4_${"Ab3".repeat(12)}`, "an API key of Parkway"],
  ])("C-74 writes no %s, and names it without its value", async (_what, env, value, named) => {
    const root = aRoot();
    const cassettes = createCassettes(
      options(root, "record", { env, modelFactory: answering([{ content: `It is ${value}.` }]) }),
    );
    await asking(cassettes.modelForCase(CASE))(request());

    const { recorded: made } = cassettes.settle(aResult());

    expect(made).toEqual({ file: CASSETTE, kept: expect.stringContaining(named) });
    expect(JSON.stringify(made)).not.toContain(value);
    expect(existsSync(join(root, CASSETTE))).toBe(false);
  });

  it("C-74 takes no short or harmless value for a secret", async () => {
    const root = aRoot();
    const env = {
      TEST_TOKEN: "refund",
      HOME: "You work the desk.",
      PWD: "/srv/the-desk",
      SHOP_URL: "https://shop.example/",
    };
    const harmless =
      "Bearer authentication-and-authorization, Basic requirements: a password: at-least-twelve; https://shop.example:8443/a@b, /srv/the-desk, api_key=${{order.id_2026_03}}";
    const cassettes = createCassettes(
      options(root, "record", { env, modelFactory: answering([{ content: harmless }]) }),
    );
    await asking(cassettes.modelForCase(CASE))(request());

    expect(cassettes.settle(aResult())).toMatchObject({ recorded: { exchanges: 1 } });
  });

  it("C-74 asks the environment's model, a script among them, and remembers what it answered with", async () => {
    const root = aRoot();
    writeTree(root, { "replies.yaml": "- { role: judge, text: First. }\n- { role: judge, text: Second. }\n" });
    const env = { ARCHMAX_MODEL: "script:replies.yaml" };
    const cassettes = createCassettes(options(root, "record", { env }));
    const models = createModelSet({ env, modelFactory: cassettes.modelForCase(CASE)! });

    const judge = await models.forCall("judge");
    expect([(await judge.call(request())).text, (await judge.call(request())).text]).toEqual(["First.", "Second."]);
    cassettes.settle(aResult());
    expect(readFileSync(join(root, CASSETTE), "utf8")).toContain("model: script:replies.yaml");
  });
});
