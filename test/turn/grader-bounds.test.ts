/** What bounds a grader's run, and what stops it (R-141, R-142, R-157, R-165, S-53). */
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk } from "@langchain/core/outputs";
import { describe, expect, it } from "vitest";
import { TurnCancelledError } from "../../lib/turn/errors.js";
import { aGraded, graded, passes, readsHistory } from "./graded.js";
import { advance, benches, calls, ofType, says, setting, types } from "./support.js";

const open = benches();

const usage = (tokens: number) => ({ prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens });

describe("budget.maxTurns", () => {
  it.each([
    [2, "rescue", /budget of 2 model calls is spent/],
    [3, "send", /polite/],
  ])(
    "R-157 R-163 W-72 W-170 of %i bounds the model calls of one run, which ends in %s",
    async (maxTurns, state, reason) => {
      const { send, graderRequests } = await aGraded(open, {
        spec: graded(`budget: { maxTurns: ${maxTurns} }`),
        grader: [readsHistory, readsHistory, passes],
      });

      const outcome = await send();

      expect(outcome).toMatchObject({ state });
      expect(outcome.auditTrail.at(-1)?.reason).toMatch(reason);
      expect(graderRequests()).toHaveLength(maxTurns);
    },
  );

  it("W-72 W-170 begins anew with each visit", async () => {
    const { send, graderRequests } = await aGraded(open, {
      spec: graded("budget: { maxTurns: 2 }"),
      agent: [advance("grade"), advance("grade"), says("end")],
      grader: [readsHistory, advance("work"), readsHistory, passes],
    });

    expect(await send()).toMatchObject({ state: "send" });
    expect(graderRequests()).toHaveLength(4);
  });
});

describe("budget.timeoutMs", () => {
  it("R-157 R-163 R-165 W-72 W-171 W-175 bounds the run as a whole: calls that fit one by one fail it together", async () => {
    const slow = { ...readsHistory, delayMs: 150 };
    const { bench, send } = await aGraded(open, {
      spec: graded("budget: { timeoutMs: 400 }"),
      grader: [slow, slow, slow, slow, slow, passes],
    });

    const outcome = await send();

    expect(outcome).toMatchObject({ state: "rescue" });
    expect(outcome.auditTrail.at(-1)).toMatchObject({ kind: "on_error", reason: expect.stringContaining("400 ms") });
    expect(ofType(bench.events, "grader-result")).toMatchObject([{ status: "error" }]);
  });

  it.each([
    ["stops when it is told to", { hang: true }, ["told to stop"]],
    ["does not listen", { deaf: true }, []],
  ])(
    "R-157 R-137 W-72 W-171 also while a tool runs that %s: an accepted advance is discarded",
    async (_what, args, stopped) => {
      const { ran, send } = await aGraded(open, {
        spec: graded("budget: { timeoutMs: 300 }"),
        grader: [calls(["archmax_advance", { to: "send", reason: "Yes." }], ["probe", args])],
      });

      expect(await send()).toMatchObject({ state: "rescue" });
      expect(ran).toEqual([args, ...stopped]);
    },
  );

  it("R-137 a raise accepted before the time was up stands", async () => {
    const { bench, send } = await aGraded(open, {
      spec: graded("budget: { timeoutMs: 300 }"),
      grader: [calls(["archmax_raise", { code: "bad", reason: "Bad." }], ["probe", { hang: true }])],
    });

    expect(await send()).toMatchObject({ kind: "failed", exit: { code: "bad" } });
    expect(ofType(bench.events, "grader-result")).toMatchObject([{ status: "error" }]);
  });

  it("R-165 W-171 of a month, longer than a timer can be, bounds nothing that is shorter, in either kind of state", async () => {
    const { send } = await aGraded(open, {
      spec: graded("budget: { timeoutMs: 2592000000 }").replace(
        "instructions: Write the letter.",
        "instructions: Write the letter.\n    budget: { timeoutMs: 2592000000 }",
      ),
      grader: [{ ...readsHistory, delayMs: 50 }, passes],
    });

    expect(await send()).toMatchObject({ kind: "completed", state: "send" });
  });

  it("S-53 one call of its model takes an invocation's limit at most; then the state has failed", async () => {
    const { send } = await aGraded(open, { host: { invocationLimitMs: 500 }, grader: [{ ...passes, delayMs: 5_000 }] });

    const outcome = await send();

    expect(outcome).toMatchObject({ state: "rescue" });
    expect(outcome.auditTrail.at(-1)?.reason).toContain("500 ms");
  });
});

describe("a call that is abandoned", () => {
  class Hanging extends BaseChatModel {
    _llmType() {
      return "hanging";
    }
    async _generate() {
      return { generations: [] };
    }
    override async *_streamResponseChunks(_messages: BaseMessage[], { signal }: this["ParsedCallOptions"]) {
      const usage_metadata = { input_tokens: 7, output_tokens: 1, total_tokens: 8 };
      yield new ChatGenerationChunk({ text: "", message: new AIMessageChunk({ content: "", usage_metadata }) });
      await new Promise((_, stopped) => signal?.addEventListener("abort", () => stopped(signal.reason)));
    }
  }

  it("R-157 R-288 W-72 counts what the provider had reported by then", async () => {
    const { createChatModel } = await import("../../lib/models/index.js");
    const { bench, send } = await aGraded(open, {
      spec: graded("budget: { timeoutMs: 200 }"),
      grader: [],
      modelFactory: (role, env) => (role === "grader" ? new Hanging({}) : createChatModel(env())),
    });

    expect(await send()).toMatchObject({ state: "rescue", usage: { inputTokens: 7, outputTokens: 1 } });
    expect(ofType(bench.events, "model-usage")).toMatchObject([{ state: "grade", inputTokens: 7 }]);
  });
});

describe("the step limit", () => {
  // Two steps of the agent; then the run, two calls with a batch each: 2 + 1 + 4, and the agent's last call.
  const grader = [calls(setting({ seen: true })), { ...passes, usage: usage(5) }];

  it.each([8, 7, 6, 5, 4, 3, 2])(
    "R-142 R-46 R-47 R-157 W-72 counts the run, each of its calls and each batch: %i steps",
    async (recursionLimit) => {
      const { bench, send } = await aGraded(open, { grader });
      const sent = send({ recursionLimit });

      if (recursionLimit === 8) {
        expect(await sent).toMatchObject({ kind: "completed", state: "send" });
        return;
      }
      await expect(sent).rejects.toMatchObject({ code: "recursion-limit" });
      const session = await bench.agent.sessions.get("s1");
      expect(session).toMatchObject({
        status: "failed",
        workflowState: recursionLimit === 7 ? "send" : "grade",
        exit: { code: "recursion-limit" },
      });
      expect(types(bench.events, "state-error-routed")).toEqual([]);
      expect(types(bench.events, "grader-start").length).toBe(types(bench.events, "grader-result").length);
    },
  );

  it("R-142 R-287 F-45 fails the turn and not the state, counts what the run had cost, and leaves nothing of its loop", async () => {
    const { bench, send } = await aGraded(open, {
      agent: [{ ...advance("grade"), usage: usage(1) }, says("end")],
      grader: [
        { ...readsHistory, usage: usage(10) },
        { ...readsHistory, usage: usage(100) },
      ],
    });

    await expect(send({ recursionLimit: 6 })).rejects.toMatchObject({ code: "recursion-limit" });

    expect((await bench.agent.sessions.get("s1"))?.usage).toMatchObject({ inputTokens: 111 });
    const thread = (await bench.stores.sessions.read("s1"))?.thread ?? [];
    expect(thread.filter(({ key }) => key.startsWith("J"))).toEqual([]);
    expect(ofType(bench.events, "grader-result")).toMatchObject([
      { status: "error", reason: expect.stringContaining("6 steps") },
    ]);
  });
});

describe("a turn that is stopped", () => {
  it.each([{ hang: true }, { deaf: true }])(
    "R-141 R-287 R-305 S-20 fails with turn-cancelled in the middle of a run, routes nothing and counts what was spent: %j",
    async (args) => {
      const stop = new AbortController();
      const { bench, ran, send } = await aGraded(open, {
        grader: [{ ...calls(["probe", args]), usage: usage(10) }],
        onEvent: (event) => {
          if (event.type === "tool-called" && event.tool === "probe")
            setTimeout(() => stop.abort(new TurnCancelledError()), 20);
        },
      });

      await expect(send({ signal: stop.signal })).rejects.toMatchObject({ code: "turn-cancelled" });

      expect(ran[0]).toEqual(args);
      expect(await bench.agent.sessions.get("s1")).toMatchObject({
        status: "failed",
        workflowState: "grade",
        exit: { code: "turn-cancelled" },
        usage: { inputTokens: 10 },
      });
    },
  );

  it("R-141 also while its model is asked", async () => {
    const stop = new AbortController();
    const { bench, send } = await aGraded(open, {
      grader: [{ ...passes, delayMs: 5_000 }],
      onEvent: (event) => {
        if (event.type === "grader-start") setImmediate(() => stop.abort(new TurnCancelledError()));
      },
    });

    await expect(send({ signal: stop.signal })).rejects.toMatchObject({ code: "turn-cancelled" });
    expect(await bench.agent.sessions.get("s1")).toMatchObject({ status: "failed", workflowState: "grade" });
  });
});
