import { inspect } from "node:util";
import { DynamicTool, type StructuredToolInterface, tool } from "@langchain/core/tools";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { aToolContext, callTool } from "../../test/contract/tool-context.js";
import { type HandlerContext, hostTool, ToolDescriptionError, type ToolDescriptor, toolsFromMap } from "./index.js";

const mapped = (descriptor: Partial<ToolDescriptor>, name = "lookup") =>
  toolsFromMap({
    [name]: { description: "Looks up.", inputSchema: z.object({}), handler: () => "ok", ...descriptor },
  })[0]!;

describe("toolsFromMap", () => {
  it.each<[string, unknown]>([
    ["a zod 4 object", z.object({ number: z.string(), count: z.number().default(2) })],
    ["a zod 3 object", z3.object({ number: z3.string(), count: z3.number().default(2) })],
  ])("H-101 gives the handler the validated input of %s", async (_, inputSchema) => {
    const seen: unknown[] = [];
    const lookup = await hostTool(mapped({ inputSchema, handler: (input) => void seen.push(input) }));

    expect(await callTool(lookup, { number: "7" }, aToolContext())).toBe("");
    expect(seen).toEqual([{ number: "7", count: 2 }]);
    expect(lookup.parse({ number: 7 })).toEqual({ ok: false, problems: [expect.stringContaining("`number`")] });
    expect(lookup.parameters).toMatchObject({
      type: "object",
      properties: { number: { type: "string" } },
      required: ["number"],
    });
  });

  it("H-101 R-59 checks input against a JSON Schema, naming the field", async () => {
    const inputSchema = {
      type: "object",
      properties: { order: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
      required: ["order"],
    };
    const lookup = await hostTool(mapped({ inputSchema, handler: (input) => input }));

    expect(lookup.parameters).toEqual(inputSchema);
    expect(lookup.parse({ order: { id: 1 } })).toEqual({
      ok: false,
      problems: [expect.stringContaining("`order.id`")],
    });
    expect(lookup.parse({})).toEqual({ ok: false, problems: [expect.stringContaining("order")] });
    expect(await callTool(lookup, { order: { id: "1" } }, aToolContext())).toBe('{"order":{"id":"1"}}');
  });

  it.each<[unknown, string]>([
    ["as it is", "as it is"],
    [undefined, ""],
    [null, "null"],
    [7, "7"],
    [{ a: [1] }, '{"a":[1]}'],
  ])("R-249 H-101 answers %j as text", async (result, text) => {
    expect(await callTool(await hostTool(mapped({ handler: async () => result })), {}, aToolContext())).toBe(text);
  });

  it("H-101 lets a thrown error through with its message", async () => {
    const failing = await hostTool(
      mapped({
        handler: () => {
          throw new Error("no such order");
        },
      }),
    );

    await expect(callTool(failing, {}, aToolContext())).rejects.toThrow("no such order");
  });

  it("H-102 R-248 S-44 binds the context to the call", async () => {
    const contexts: HandlerContext[] = [];
    const seen: unknown[] = [];
    const lookup = await hostTool(
      mapped({
        handler: (_, context) => {
          contexts.push(context);
          seen.push(context.sessionId, context.workspace, context.signal, context.idempotencyKey, context.attempt);
        },
      }),
    );
    const call = aToolContext({ sessionId: "s~1", idempotencyKey: "k", attempt: 2, caller: "script" });

    await callTool(lookup, {}, call);

    expect(seen).toEqual(["s~1", call.workspace, call.signal, "k", 2]);
    expect(Object.keys(contexts[0]!)).toEqual(["signal", "idempotencyKey", "attempt"]);
    expect(() => JSON.stringify(contexts[0])).not.toThrow();
    expect(() => inspect(contexts[0])).not.toThrow();
    expect(() => contexts[0]!.workspace).toThrow(/turn/);
    expect(() => contexts[0]!.sessionId).toThrow(/turn/);
  });

  it("H-102 throws for workspace and sessionId when a tool is invoked outside a turn, and validates there too", async () => {
    const asking = mapped({ inputSchema: z.object({ a: z.string() }), handler: (_, context) => context.sessionId });

    await expect(asking.invoke({ a: "x" })).rejects.toThrow(/turn/);
    await expect(asking.invoke({ a: 1 })).rejects.toThrow(/string/);
    expect(await mapped({ handler: (_, context) => context.attempt }).invoke({})).toBe("1");
  });

  it.each<[Partial<ToolDescriptor>, string]>([
    [{}, "effect"],
    [{ readOnly: true }, "read-only"],
    [{ idempotent: true }, "idempotent"],
    [{ reconcile: () => "unknown" }, "reconciled"],
    [{ readOnly: false, idempotent: false }, "effect"],
  ])("H-131 S-41 %j is taken as declared", async (declared, effect) => {
    expect((await hostTool(mapped(declared, "get_readonly_thing"))).effect).toBe(effect);
  });

  it("H-131 S-41 asks reconcile what became of a call", async () => {
    const answers = [{ done: true as const, result: { id: 1 } }, { done: false as const }, "unknown" as const];
    const asked: unknown[] = [];
    const lookup = await hostTool(
      mapped({
        inputSchema: z.object({ n: z.number() }),
        reconcile: ({ n }, context) => {
          asked.push(context.idempotencyKey);
          return answers[n as number]!;
        },
      }),
    );

    expect(await lookup.reconcile!({ n: 0 }, aToolContext({ idempotencyKey: "k" }), undefined)).toEqual({
      kind: "done",
      result: '{"id":1}',
    });
    expect(await lookup.reconcile!({ n: 1 }, aToolContext(), undefined)).toEqual({ kind: "not-done" });
    expect(await lookup.reconcile!({ n: 2 }, aToolContext(), undefined)).toEqual({ kind: "unknown" });
    expect(asked[0]).toBe("k");
  });
});

describe("hostTool", () => {
  it("H-101 H-102 runs a LangChain tool with validated input, the signal and the context", async () => {
    let seen: unknown;
    const add = tool(
      async ({ a, b }: { a: number; b: number }, config) => {
        const { context } = config as unknown as { context: HandlerContext };
        seen = [context.sessionId, config.signal instanceof AbortSignal];
        return { sum: a + b };
      },
      { name: "add", description: "Adds.", schema: z.object({ a: z.number(), b: z.number().default(1) }) },
    );

    const runtime = await hostTool(add as unknown as StructuredToolInterface);

    expect(runtime).toMatchObject({ name: "add", description: "Adds.", effect: "effect" });
    expect(runtime.parse({ a: "1" })).toEqual({ ok: false, problems: [expect.stringContaining("`a`")] });
    expect(await callTool(runtime, { a: 1 }, aToolContext())).toBe('{"sum":2}');
    expect(seen).toEqual(["s-1", true]);
  });

  it("H-101 takes a tool with a JSON Schema, with zod 3, and one of a single string", async () => {
    const json = tool(async ({ q }: { q: string }) => q, {
      name: "j",
      description: "d",
      schema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
    });
    const old = tool(async ({ q }: { q: string }) => q, {
      name: "o",
      description: "d",
      schema: z3.object({ q: z3.string() }),
    });
    const single = new DynamicTool({ name: "s", description: "d", func: async (input) => input });
    const asHost = (given: unknown) => hostTool(given as StructuredToolInterface);

    expect(await callTool(await asHost(json), { q: "x" }, aToolContext())).toBe("x");
    expect((await asHost(json)).parse({ q: 1 }).ok).toBe(false);
    expect(await callTool(await asHost(old), { q: "x" }, aToolContext())).toBe("x");
    expect(await callTool(await asHost(single), { input: "x" }, aToolContext())).toBe("x");
  });

  it("H-101 H-103 H-131 reads declarations from the tool's metadata, and options win", async () => {
    const paths = { file: "read" as const };
    const given = tool(async () => "x", {
      name: "m",
      description: "d",
      schema: z.object({ file: z.string() }),
      metadata: { readOnly: true, paths },
    }) as unknown as StructuredToolInterface;

    expect(await hostTool(given)).toMatchObject({ effect: "read-only", paths });
    expect(await hostTool(given, { effect: { idempotent: true }, paths: { file: "write" } })).toMatchObject({
      effect: "idempotent",
      paths: { file: "write" },
    });
  });

  it.each<[string, unknown, unknown]>([
    ["zod 4", z.object({ on: z.date(), list: z.array(z.object({ at: z.date() })).optional() }), z.date()],
    ["zod 3", z3.object({ on: z3.date(), list: z3.array(z3.object({ at: z3.date() })).optional() }), z3.date()],
  ])("F-70 sends a date of %s as a string with a format, and gives the handler a date", async (_, inputSchema) => {
    const seen: Record<string, unknown>[] = [];
    const runtime = await hostTool(mapped({ inputSchema, handler: (input) => void seen.push(input) }));

    expect(runtime.parameters).toMatchObject({ properties: { on: { type: "string", format: "date-time" } } });
    expect(runtime.parse({ on: "no date" }).ok).toBe(false);
    await callTool(runtime, { on: "2026-03-01", list: [{ at: "2026-03-02T10:00:00Z" }] }, aToolContext());
    expect(seen[0]).toEqual({ on: new Date("2026-03-01"), list: [{ at: new Date("2026-03-02T10:00:00Z") }] });
  });

  it.each<[string, unknown]>([
    ["a type without a JSON form", z.object({ n: z.bigint() })],
    ["a schema that is no object", z.string()],
    ["no schema", undefined],
    ["a JSON Schema that is no object", { type: "array" }],
  ])("F-70 fails by name for %s", async (_, inputSchema) => {
    const failing = hostTool(mapped({ inputSchema }, "odd_one"));

    await expect(failing).rejects.toThrow(ToolDescriptionError);
    await expect(failing).rejects.toThrow(expect.objectContaining({ tool: "odd_one" }));
  });

  it("F-70 fails for a tool whose name is empty", async () => {
    const nameless = tool(async () => "x", { name: "", description: "d", schema: z.object({}) });
    const failing = hostTool(nameless as unknown as StructuredToolInterface);

    await expect(failing).rejects.toThrow(ToolDescriptionError);
    await expect(failing).rejects.toThrow(/"".*no name/);
  });
});
