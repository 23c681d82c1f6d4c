import { describe, expect, it } from "vitest";
import { checkAgentSlugs, checkExtensions, defineAgent, harness, resolveExtensions } from "./index.js";
import type { Completion, ExtensionOptions, Guardrail } from "./types.js";

const options = (given: unknown) => given as ExtensionOptions;
const verify = () => ({ ok: true });
const named = (name: string): Guardrail => Object.assign(() => name, { rule: name });
const namesOf = (guardrails: readonly Guardrail[]) => guardrails.map((guardrail) => guardrail.name);

describe("the shapes of a host's extensions", () => {
  it("A-3 a spec is returned itself", () => {
    const spec = { guardrails: [named("a")] };

    expect(defineAgent(spec)).toBe(spec);
    expect(harness).toBe(defineAgent);
  });

  it.each([
    ["a string", ["allow"], 0],
    ["nothing", [() => undefined, undefined], 1],
    ["an object", [() => "", { name: "x" }], 1],
  ])("A-16 refuses %s in a list of guardrails, and says where", (_what, guardrails, index) => {
    const refused = { name: "InvalidGuardrailError", code: "invalid-guardrail", index };

    expect(() => checkExtensions(options({ guardrails }))).toThrow(expect.objectContaining(refused));
    expect(() => checkExtensions(options({ agents: { refund: { guardrails } } }))).toThrow(
      expect.objectContaining({ ...refused, at: "agents.refund.guardrails" }),
    );
  });

  it.each([undefined, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "3", null])(
    "A-18 refuses a completion with maxAttempts %s",
    (maxAttempts) => {
      const completion = { verify, maxAttempts };
      const refused = { name: "InvalidCompletionError", code: "invalid-completion" };

      expect(() => checkExtensions(options({ completion }))).toThrow(expect.objectContaining(refused));
      expect(() => checkExtensions(options({ agents: { refund: { completion } } }))).toThrow(
        expect.objectContaining({ ...refused, at: "agents.refund.completion" }),
      );
    },
  );

  it.each([[{ maxAttempts: 1 }], [{ verify: "yes", maxAttempts: 1 }], [null], [verify]])(
    "A-18 refuses a completion that cannot verify: %o",
    (completion) => {
      expect(() => checkExtensions(options({ completion }))).toThrow(
        expect.objectContaining({ name: "InvalidCompletionError" }),
      );
    },
  );

  it("A-18 takes a whole number from 1", () => {
    expect(() => checkExtensions({ completion: { verify, maxAttempts: 1 } })).not.toThrow();
  });

  it("A-5 refuses both the shorthand and the agent's own entry, and takes each alone", () => {
    const completion: Completion = { verify, maxAttempts: 2 };
    const both = { workflow: "refund", completion, agents: { refund: { completion } } };

    expect(() => checkExtensions(both)).toThrow(TypeError);
    expect(() => checkExtensions({ ...both, workflow: "other" })).not.toThrow();
    expect(() => checkExtensions({ ...both, agents: { refund: { guardrails: [] } } })).not.toThrow();
  });

  it.each([["Refund Desk"], ["constructor()"], [""]])("A-5 refuses the key %j of agents, which is no slug", (slug) => {
    expect(() => checkExtensions({ agents: { [slug]: {} } })).toThrow(TypeError);
  });

  it("A-5 refuses a key that no workflow is called, since what it should restrain would go free", () => {
    expect(() => checkAgentSlugs({ agents: { refund: {}, refnd: {} } }, ["refund"])).toThrow(/"refnd".*refund/);
    expect(() => checkAgentSlugs({ agents: { refund: {}, never: {} } }, ["never", "refund"])).not.toThrow();
  });

  it.each([
    ["guardrails", { guardrails: {} }],
    ["hooks", { hooks: { beforeTool: "no" } }],
    ["hooks", { hooks: { beforeTools: () => {} } }],
    ["onMetric", { onMetric: {} }],
    ["agents", { agents: [] }],
    ["agents.refund", { agents: { refund: { guardrail: [] } } }],
    ["agents.refund.model", { agents: { refund: { model: "" } } }],
    ["middleware", { middleware: {} }],
    ["middleware[0]", { middleware: [{ wrapToolCall: () => {} }] }],
    ["middleware[0].wrapToolCall", { middleware: [{ name: "m", wrapToolCall: true }] }],
    ["limits", { limits: { tokens: 1 } }],
    ["limits.maxTokensPerTurn", { limits: { maxTokensPerTurn: 0 } }],
    ["compaction", { compaction: { maxTokens: 10 } }],
    ["compaction.maxTokens", { compaction: { maxTokens: -1, summarize: () => "" } }],
  ])("A-4 H-8 a misspelt or misshapen %s is an error, not a silent default", (at, given) => {
    expect(() => checkExtensions(options(given))).toThrow(TypeError);
    expect(() => checkExtensions(options(given))).toThrow(at.split(".").at(-1)!);
  });
});

describe("what binds a session", () => {
  const guardrails = (name: string) => ({ guardrails: [{ [name]: () => undefined }[name] as Guardrail] });

  it("A-13 A-40 asks the assembly's guardrails, then each caller's from the outermost on, then its own", () => {
    const hooks = {};
    const given = {
      ...guardrails("everywhere"),
      hooks,
      agents: {
        root: guardrails("root"),
        middle: guardrails("middle"),
        leaf: guardrails("leaf"),
        other: guardrails("x"),
      },
    };

    const leaf = resolveExtensions(given, { workflow: "leaf", callers: ["root", "middle"], root: "root" });

    expect(namesOf(leaf.guardrails)).toEqual(["everywhere", "root", "middle", "leaf"]);
    expect(leaf.hooks).toBe(hooks);
    expect(namesOf(resolveExtensions(given, { workflow: "leaf", callers: [] }).guardrails)).toEqual([
      "everywhere",
      "leaf",
    ]);
  });

  it("A-39 A-41 replaces hooks and the sink each as a whole, and passes them on as they are", () => {
    const everywhere = { hooks: { beforeTool: () => {} }, onMetric: () => {} };
    const own = { hooks: { afterTool: () => {} } };
    const given = { ...everywhere, agents: { a: own, b: { onMetric: () => {} } } };

    const [a, b, c] = ["a", "b", "c"].map((workflow) => resolveExtensions(given, { workflow, callers: [] }));

    expect(a!.hooks).toBe(own.hooks);
    expect(a!.onMetric).toBe(everywhere.onMetric);
    expect(b!.hooks).toBe(everywhere.hooks);
    expect(b!.onMetric).toBe(given.agents.b.onMetric);
    expect(c).toMatchObject(everywhere);
  });

  it("A-5 a spec applies wherever its workflow runs; the shorthand to the agent's own workflow, or whichever runs on top", () => {
    const completion = { verify, maxAttempts: 2 };
    const own = { verify, maxAttempts: 3 };
    const given = { completion, agents: { child: { completion: own } } };
    const gateOf = (workflow: string, callers: string[], root?: string) =>
      resolveExtensions(given, { workflow, callers, ...(root ? { root } : {}) }).completion;

    expect(gateOf("root", [], "root")).toBe(completion);
    expect(gateOf("child", ["root"], "root")).toBe(own);
    expect(gateOf("child", [], "root")).toBe(own);
    expect(gateOf("other", ["root"], "root")).toBeNull();
    expect(gateOf("anyone", [])).toBe(completion);
    expect(gateOf("other", ["anyone"])).toBeNull();
  });
});
