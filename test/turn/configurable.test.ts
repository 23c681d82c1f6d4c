/** What a caller hands to a turn beside its input (H-57). */
import { tool } from "@langchain/core/tools";
import { expect, it } from "vitest";
import { z } from "zod";
import { benches, calls, plainBenches, results, says } from "./support.js";

const open = benches();
const plain = plainBenches();

const SPEC = `
states:
  work:
    triggers: { manual: }
    instructions: Work.
    tools: { allow: [whose, archmax_eval] }
`;

/** Answers with what the call's configuration says of the person and the session. */
const whose = tool(async (_args, { configurable = {} }) => `${configurable.person} in ${configurable.thread_id}`, {
  name: "whose",
  description: "Says for whom the call is.",
  schema: z.object({}),
});
const SCRIPT = { code: "await tools.whose({})" };

it("H-57 merges `configurable` into the configuration of a turn's tools, and no config changes the thread id", async () => {
  const { agent, stores } = await open({
    spec: SPEC,
    tools: [whose],
    replies: [calls(["whose"]), says("Done."), says("Again.")],
  });
  const configurable = {
    person: "ada-lovelace",
    thread_id: "s2",
    turn: "none",
    checkpoint_id: "0000",
    checkpoint_ns: "elsewhere",
    __pregel_read: "none",
  };

  const outcome = await agent.workflow.send("s1", { message: "Go." }, { configurable });
  await agent.workflow.send("s1", { message: "Go on." }, { configurable });

  expect(results(outcome).map(({ text }) => text)).toEqual(["ada-lovelace in s1"]);
  expect(await agent.sessions.messageCount("s1")).toBe(6);
  expect(await agent.sessions.get("s2")).toBeNull();
  const { thread = [] } = (await stores.sessions.read("s1")) ?? {};
  const kept = thread.filter(({ key }) => !key.includes("messages")).map(({ value }) => value);
  expect(kept.join("").match(/person/g)).toBeNull();
});

it("H-47 H-57 hands the rest of an invocation's `configurable` on, over what `withConfig` has set", async () => {
  const { agent } = await plain({
    tools: [whose],
    replies: [calls(["whose"]), says("Done."), calls(["whose"]), says("Done.")],
  });
  const bound = agent.withConfig({ configurable: { thread_id: "s1", person: "ada" } });

  const first = await bound.invoke({ messages: "Go." }, {} as never);
  const second = await bound.invoke({ messages: "Go." }, { configurable: { thread_id: "s2", person: "bob" } });

  expect([first, second].flatMap((of) => results(of)).map(({ text }) => text)).toEqual(["ada in s1", "bob in s2"]);
});

it("H-57 keeps what two turns were given apart where one sandbox runs their scripts", async () => {
  const { agent } = await open({
    spec: SPEC,
    tools: [whose],
    replies: [calls(["archmax_eval", SCRIPT]), says("Done."), calls(["archmax_eval", SCRIPT]), says("Done.")],
  });

  const first = await agent.workflow.send("s1", { message: "Go." }, { configurable: { person: "ada" } });
  const second = await agent.workflow.send("s2", { message: "Go." }, { configurable: { person: "bob" } });

  expect([first, second].flatMap((of) => results(of)).map(({ text }) => text)).toEqual(["ada in s1", "bob in s2"]);
});

it("H-57 R-10 R-23 takes a turn's `sessionPath`, which the session's id outweighs and which has to be a path", async () => {
  const { agent } = await open({ spec: SPEC, replies: [says("Done.")] });
  const firing = { message: "Go.", variables: { ticket: "t-1" }, sessionPath: "ticket" };

  await agent.workflow.send("s1", firing);
  for (const sessionPath of ["a..b", "", "${{ ticket }}", 7 as never]) {
    await expect(agent.workflow.send("s3", { ...firing, sessionPath })).rejects.toMatchObject({
      name: "InvalidSessionPathError",
      path: String(sessionPath),
    });
  }

  expect((await agent.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(["s1"]);
});
