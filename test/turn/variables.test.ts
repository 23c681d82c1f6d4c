import { describe, expect, it } from "vitest";
import { loadState } from "../../lib/session/load-state.js";
import { advance, benches, calls, ofType, results, says, setting, system, types } from "./support.js";

const open = benches();

const SPEC = `
states:
  work:
    instructions: Work.
    triggers:
      manual:
        returns:
          - { name: total, type: integer, minimum: 1 }
          - { name: remark }
    locks: [mine]
    transitions: [{ to: owner }]
  owner:
    instructions: Own it.
    locks: [price]
    transitions: [{ to: far }, { to: work }]
  far:
    instructions: Far away.
    locks: [secret]
    transitions: [{ to: work }]
`;

const DONE = { total: 1, remark: "n" };
const finish = [calls(setting(DONE)), says("end")];

async function run(made: Parameters<typeof calls>, more: { variables?: Record<string, unknown>; then?: unknown } = {}) {
  const bench = await open({ spec: SPEC, replies: [calls(...made), ...finish] });
  const outcome = await bench.agent.workflow.send("s1", { message: "go", variables: more.variables });
  return { bench, outcome, first: results(outcome).slice(0, made.length) };
}

describe("archmax_set_variables", () => {
  it("R-81 R-84 W-140 stores any JSON value whole, answers with the names, and tells names only", async () => {
    const values = { a: [1, { b: null }], c: "text", d: null, e: { f: { g: true } } };
    const { bench, outcome, first } = await run([setting(values)]);

    for (const [name, value] of Object.entries(values)) {
      expect(outcome.variables[name]).toEqual({ value, locked: false });
    }
    expect(first[0]?.text).toMatch(/a, c, d, e/);
    expect(ofType(bench.events, "variables-set")[0]).toMatchObject({
      state: "work",
      names: ["a", "c", "d", "e"],
      locked: false,
      callId: "call_1_1",
    });
  });

  it("R-81 takes a name of its form and no other, and replaces a value whole", async () => {
    const names = ["order.total", "Order", "_a", "1a", "a-b", "ä", "a b", ""];
    const { outcome, first } = await run([
      ...names.map((name) => setting({ [name]: 1 })),
      setting({ order: { total: 1, lines: [1] } }),
      setting({ order: { paid: true } }),
      setting({ a_1: 1 }),
    ]);

    expect(first.map(({ refusal }) => refusal)).toEqual([...names.map(() => "name-invalid"), ...Array(3)]);
    expect(Object.keys(outcome.variables).sort()).toEqual(["a_1", "order", "remark", "total", "trigger"]);
    expect(outcome.variables.order?.value).toEqual({ paid: true });
  });

  it("R-84 R-296 R-298 the event has no value, and stands between the call and its result", async () => {
    const { bench } = await run([setting({ a: "hidden value" }, true)]);
    const event = ofType(bench.events, "variables-set")[0];

    expect((await loadState(bench.stores.sessions, "s1"))?.state.variables.a).toMatchObject({ lockedBy: "agent" });
    expect(event).toMatchObject({ locked: true });
    expect(JSON.stringify(event)).not.toContain("hidden");
    expect(types(bench.events, "tool-called", "variables-set", "tool-result").slice(0, 3)).toEqual([
      "tool-called",
      "variables-set",
      "tool-result",
    ]);
  });

  it.each([
    ["nothing-to-write", {}, undefined, /No variable/],
    ["name-invalid", { "Bad-Name": 1 }, undefined, /Bad-Name/],
    ["name-invalid", { "a.b": 1 }, undefined, /a\.b/],
    ["variable-reserved", { trigger: "x" }, undefined, /trigger/],
    ["variable-locked", { given: 2 }, undefined, /given.*\{"deep":1\}/],
    ["variable-owned", { price: 1 }, undefined, /price.*owner/],
    ["variable-owned", { secret: 1 }, undefined, /secret.*another state/],
    ["title-lock", { title: "t" }, true, /title/],
    ["title-shape", { title: "two\nlines" }, undefined, /title/],
    ["title-shape", { title: 7 }, undefined, /title/],
    ["title-shape", { title: "x".repeat(201) }, undefined, /200/],
    ["title-shape", { title: "  " }, undefined, /title/],
    ["return-type", { total: "4" }, undefined, /total.*integer.*(string|"4")/],
    ["return-type", { total: 0 }, undefined, /total.*integer.*minimum: 1; got 0\./],
  ])("R-83 W-139 W-141 refuses with %s: %j", async (code, variables, lock, names) => {
    const { bench, outcome, first } = await run(
      [setting({ other: 1, ...variables }, lock)]
        .slice(code === "nothing-to-write" ? 1 : 0)
        .concat(code === "nothing-to-write" ? [setting({})] : []),
      { variables: { given: { deep: 1 } } },
    );

    expect(first[0]).toMatchObject({ status: "error", refusal: code, text: expect.stringMatching(names) });
    expect(outcome.variables.other).toBeUndefined();
    expect(ofType(bench.events, "variables-set").filter((event) => event.callId === "call_1_1")).toEqual([]);
  });

  it("W-150 R-83 names no state that the current one does not lead to", async () => {
    const { first } = await run([setting({ secret: 1 })]);

    expect(first[0]?.text).not.toContain("far");
  });

  it("R-83 the first rule in the order shape, reserved, locked, owned, title, return type decides", async () => {
    const { first } = await run(
      [
        setting({ title: 7, "Bad-Name": 1 }),
        setting({ total: "x", trigger: "y" }),
        setting({ trigger: "y" }),
        setting({ price: 2 }),
        setting({ total: 4 }, true),
        setting({ total: "x" }),
      ],
      { variables: { price: 1 } },
    );

    expect(first.map(({ refusal }) => refusal)).toEqual([
      "title-shape",
      "return-type",
      "variable-reserved",
      "variable-locked",
      undefined,
      "variable-locked",
    ]);
  });

  it("R-85 R-90 W-140 an unlocked value may be rewritten in any state; the later one stands, in the next turn too", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [
        calls(setting({ a: { x: 1 } })),
        advance("owner"),
        calls(setting({ a: { y: 2 } })),
        ...finish,
        says("still"),
      ],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const outcome = await bench.agent.workflow.send("s1", { message: "again" });

    expect(outcome.variables.a).toEqual({ value: { y: 2 }, locked: false });
  });

  it("R-86 W-148 the owning state rewrites on every visit, others are refused", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [
        advance("owner"),
        calls(setting({ price: 1 })),
        advance("work"),
        calls(setting({ price: 2 }), ["archmax_get_variables", { name: "price" }]),
        advance("owner"),
        calls(setting({ price: 3 })),
        ...finish,
      ],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome.variables.price).toEqual({ value: 3, locked: false });
    expect(results(outcome).filter(({ refusal }) => refusal)).toMatchObject([{ refusal: "variable-owned" }]);
    expect(results(outcome).find(({ tool }) => tool === "archmax_get_variables")?.text).toBe(
      '{"value":1,"locked":false}',
    );
  });

  it("R-86 W-148 seeds and deliveries are not bound by `locks`", async () => {
    const wait = calls(["archmax_wait", { reason: "mail" }]);
    const bench = await open({ spec: SPEC, replies: [wait, says("w"), ...finish] });
    const { send, deliver } = bench.agent.workflow;
    const seeded = await send("s1", { message: "go", variables: { price: 9 } });
    const delivered = await deliver("s1", { trigger: { id: "mail" }, variables: { price: 10, secret: 1 } });

    expect(seeded.variables.price).toEqual({ value: 9, locked: true });
    expect(delivered.variables).toMatchObject({
      price: { value: 10, locked: true },
      secret: { value: 1, locked: true },
    });
  });

  it("W-149 W-144 a value that the owning state locked, or a host seeded, refuses that state too", async () => {
    const { first } = await run([setting({ mine: 1 }, true), setting({ mine: 2 })]);
    const seeded = await run([setting({ mine: 2 })], { variables: { mine: 1 } });

    expect(first.map(({ refusal }) => refusal)).toEqual([undefined, "variable-locked"]);
    expect(seeded.first[0]).toMatchObject({ refusal: "variable-locked" });
  });

  it("R-87 the agent's lock lasts over states", async () => {
    const bench = await open({
      spec: SPEC,
      replies: [calls(setting({ a: 1 }, true)), advance("owner"), calls(setting({ a: 2 })), ...finish],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(outcome.variables.a).toEqual({ value: 1, locked: true });
  });

  it("R-88 W-141 `trigger` holds the current trigger's id, locked, from its opening, a delivery and a further turn on", async () => {
    const wait = calls(["archmax_wait", { reason: "mail" }]);
    const bench = await open({ spec: SPEC, replies: [wait, says("w"), ...finish, calls(setting({ trigger: "x" }))] });
    const { send, deliver } = bench.agent.workflow;
    const held = async () => (await loadState(bench.stores.sessions, "s1"))?.state.variables.trigger;
    const by = (value: string) => ({ value, locked: true, lockedBy: "host" });

    await send("s1", { message: "go" });
    expect(await held()).toEqual(by("manual"));
    await deliver("s1", { trigger: { id: "mail" } });
    expect(await held()).toEqual(by("mail"));
    await expect(send("s1", { message: "go", trigger: { id: "other" } }, { recursionLimit: 2 })).rejects.toThrow();
    expect(await held()).toEqual(by("other"));
  });

  it("R-89 W-141 stores the title trimmed and unlocked, and tells it whenever the stored one changes", async () => {
    const { bench, outcome } = await run([
      setting({ title: "  Refund 7 " }),
      setting({ title: "Refund 7" }),
      setting({ title: "Refund 8" }),
    ]);

    expect(outcome.variables.title).toEqual({ value: "Refund 8", locked: false });
    expect(ofType(bench.events, "title-set")).toMatchObject([
      { title: "Refund 7", state: "work", callId: "call_1_1" },
      { title: "Refund 8", state: "work", callId: "call_1_3" },
    ]);
  });

  it("R-89 takes no lock and no title but one line of 1 to 200 characters after trimming", async () => {
    const { first, outcome } = await run([
      setting({ title: "t" }, true),
      ...[7, null, "", " \n", "two\nlines", "x".repeat(201), "🛑".repeat(201)].map((title) => setting({ title })),
      setting({ title: ` ${"🛑".repeat(200)}\n` }),
    ]);

    expect(first.map(({ refusal }) => refusal)).toEqual(["title-lock", ...Array(7).fill("title-shape"), undefined]);
    expect(outcome.variables.title).toEqual({ value: "🛑".repeat(200), locked: false });
  });

  it("R-89 a delivered title replaces the one the session holds, and is told of", async () => {
    const wait = calls(["archmax_wait", { reason: "mail" }]);
    const bench = await open({ spec: SPEC, replies: [calls(setting({ title: "Mine" })), wait, says("w"), ...finish] });
    await bench.agent.workflow.send("s1", { message: "go" });
    const delivery = { trigger: { id: "mail" }, variables: { title: " Theirs " } };
    const outcome = await bench.agent.workflow.deliver("s1", delivery);

    expect(outcome.variables.title).toEqual({ value: "Theirs", locked: false });
    expect(ofType(bench.events, "title-set").map(({ title }) => title)).toEqual(["Mine", "Theirs"]);
  });

  it("W-142 R-89 a seeded title lands unlocked and loses to one the session holds", async () => {
    const bench = await open({ spec: SPEC, replies: [...finish, says("again")] });
    await bench.agent.workflow.send("s1", { message: "go", variables: { title: " First " } });
    const outcome = await bench.agent.workflow.send("s1", { message: "go", variables: { title: "Second" } });

    expect(outcome.variables.title).toEqual({ value: "First", locked: false });
    expect(ofType(bench.events, "title-set").map(({ title }) => title)).toEqual(["First"]);
  });

  it("W-143 what a host seeds lands locked, a name in the returns does not", async () => {
    const { outcome } = await run([["archmax_get_variables"]], { variables: { a: 1, remark: "x" } });

    expect(outcome.variables).toMatchObject({ a: { locked: true }, remark: { locked: false } });
  });
});

describe("archmax_get_variables", () => {
  const values = { order: { lines: [{ sku: "A" }, { sku: "B" }] }, count: 2 };

  it.each([
    [
      {},
      {
        order: { value: values.order, locked: true },
        count: { value: 2, locked: true },
        trigger: { value: "manual", locked: true },
      },
    ],
    [{ name: "count" }, { value: 2, locked: true }],
    [
      { name: " count ", path: " " },
      { value: 2, locked: true },
    ],
    [{ name: "order", path: "lines.1.sku" }, { value: "B" }],
    [{ name: "order", path: "lines.-1" }, { value: { sku: "B" } }],
  ])("R-82 answers %j", async (args, answer) => {
    const { first } = await run([["archmax_get_variables", args]], { variables: values });

    expect(JSON.parse(first[0]?.text ?? "")).toEqual(answer);
  });

  it.each([
    ["unset", { name: "nothing" }, /count, order, trigger/],
    ["path-missing", { name: "order", path: "lines.7" }, /lines\.7/],
    ["path-missing", { name: "order", path: "lines.length" }, /lines\.length/],
    ["unset", { name: "constructor" }, /constructor/],
  ])("R-82 answers an error %s to %j, never the whole value", async (code, args, names) => {
    const { first } = await run([["archmax_get_variables", args]], { variables: values });

    expect(first[0]).toMatchObject({ status: "error", refusal: code, text: expect.stringMatching(names) });
    expect(first[0]?.text).not.toContain("sku");
  });
});

describe("variables in the prompt", () => {
  it("R-274 are listed by name, never by value, from the next call on", async () => {
    const { bench } = await run([setting({ a: "the written value" })], { variables: { given: "the seeded value" } });

    expect(system(bench.requests[1])).toMatch(/Set: `a`, `given`, `trigger`/);
    for (const request of bench.requests) expect(system(request)).not.toMatch(/the (written|seeded) value/);
  });
});
