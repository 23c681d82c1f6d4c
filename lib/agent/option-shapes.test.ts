import { expect, it } from "vitest";
import { createAgent } from "../agent.js";

it.each<[string, readonly unknown[]]>([
  ["workflow", [5, true, null]],
  ["workspace", [5, null, [], { rootDir: 5 }, { mounts: 5 }]],
  ["backend", [5, { readRaw: 5 }]],
  ["authoring", [5, "workflows"]],
  ["skills", ["skills/", [5]]],
  ["stores", [5]],
  ["tools", [5, {}, [null]]],
  ["essentialTools", ["find", [5]]],
  ["toolPaths", [5, []]],
  ["toolEffects", [5, []]],
  ["model", [5, "gpt"]],
  ["modelFactory", [5, {}]],
  ["systemPrompt", [5]],
  ["trigger", ["manual", {}, { id: 5 }]],
  ["variables", [5, []]],
  ["policyRules", [() => null, [5]]],
  ["promptCache", [true, { enabled: "no" }, { ttl: "2h" }]],
  ["pricing", [5]],
  ["onEvent", [{}]],
  ["sandboxRuntime", [5]],
  ["env", [5]],
  ["store", [5]],
  ["name", [5]],
  ["description", [5]],
  ["host", [5]],
])("H-8 H-10 refuses a `%s` of another kind, first of all and without showing it", async (option, values) => {
  for (const value of values) {
    const params = { workflow: "none", clock: "never", [option]: value };
    await expect(createAgent(params as never)).rejects.toThrow(
      expect.objectContaining({
        name: "TypeError",
        message: expect.stringMatching(new RegExp(`^\`${option}\` must be [^\\n]+\\.$`)),
      }),
    );
  }
});

it.each([null, 5, "desk", []])("H-8 refuses %j in place of options", async (params) => {
  await expect(createAgent(params as never)).rejects.toThrow("createAgent takes an object of options.");
});
