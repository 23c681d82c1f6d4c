import { describe, expect, it } from "vitest";
import { normalizeSignature } from "../spec/index.js";
import { delegationDefinition } from "./index.js";

const MANUAL = {
  description: "Checks one invoice.",
  requires: normalizeSignature([{ name: "invoice", type: "file", description: "The\n  invoice" }, "note"]),
  returns: normalizeSignature([{ name: "total", type: "number" }]),
};

describe("delegationDefinition", () => {
  it("R-172 R-173 W-241 W-243 offers the target's requires, all required, with further ones allowed", () => {
    const { name, parameters } = delegationDefinition("check-invoice", { manual: MANUAL });

    expect(name).toBe("archmax_workflow_check-invoice");
    expect(parameters).toEqual({
      type: "object",
      properties: { invoice: { type: "string", format: "file", description: "The\n  invoice" }, note: {} },
      required: ["invoice", "note"],
      additionalProperties: true,
    });
  });

  it("R-173 W-243 begins with the trigger's description and goes on with title, parameters and returns", () => {
    const { description } = delegationDefinition("check-invoice", { title: " Invoices ", manual: MANUAL });

    expect(description.startsWith("Checks one invoice.\n")).toBe(true);
    expect(description).toContain("Invoices");
    expect(description).toContain("`invoice` (file): The invoice; `note`");
    expect(description).toContain("{ message, returns }");
    expect(description).toContain("`total` (number)");
  });

  it("R-173 says that a target without returns answers with its message", () => {
    const { description } = delegationDefinition("talk", { manual: { requires: [], returns: [] } });

    expect(description).toContain("the workflow talk");
    expect(description).toContain("Parameters: none.");
    expect(description).toContain("closing message");
  });

  it("H-26 R-172 takes any object for a target that cannot be called", () => {
    const { parameters } = delegationDefinition("gone", { manual: null });

    expect(parameters).toEqual({ type: "object", properties: {}, additionalProperties: true });
  });
});
