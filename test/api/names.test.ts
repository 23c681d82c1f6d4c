/** The public API as one list: a name that comes or goes shows in review. */
import { beforeAll, describe, expect, it } from "vitest";
import { buildIfStale, entries, ROOT } from "./built.js";
import { publicNames } from "./names.js";

beforeAll(buildIfStale, 120_000);

/** What a value is, as a reader wants to know it. */
function kindOf(value: unknown): string {
  if (typeof value !== "function") return Array.isArray(value) ? "array" : typeof value;
  return /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
}

describe("the public names", () => {
  it.each(entries().map(({ name, file }) => [name, file]))(
    "H-2 of %s that exist are those of its list",
    async (name, file) => {
      const built: Record<string, unknown> = await import(`${ROOT}/${file}`);

      expect(Object.keys(built).sort()).toEqual([...publicNames(name).values].sort());
    },
  );

  // `npx vitest run --project unit test/api -u` writes the list anew.
  it("H-2 H-130 are the list in public-names.txt", async () => {
    const sections = await Promise.all(
      entries().map(async ({ name, file }) => {
        const built: Record<string, unknown> = await import(`${ROOT}/${file}`);
        const { values, types } = publicNames(name);
        const lines = [
          ...values.map((value) => `${value}  ${kindOf(built[value])}`),
          ...types.map((type) => `${type}  type`),
        ];
        return [name, ...lines.sort().map((line) => `  ${line}`)].join("\n");
      }),
    );

    await expect(`${sections.join("\n\n")}\n`).toMatchFileSnapshot("public-names.txt");
  });

  it("H-130 hold what the contract promises of the root", () => {
    const { values, types } = publicNames("parkway");

    expect(values).toEqual(expect.arrayContaining([...publicNames("parkway/spec").values]));
    expect(values).toEqual(expect.arrayContaining([...publicNames("parkway/messages").values]));
    expect(types).toEqual(expect.arrayContaining([...publicNames("parkway/spec").types]));
    expect(values).toEqual(
      expect.arrayContaining([
        "renderEventLine",
        "validateWorkflow",
        "defaultMounts",
        "mountSubtree",
        "createFilesystemSessionStore",
        "createBackendSessionStore",
        "createMemorySessionStore",
        "createAwsSessionStore",
        "toolsFromMap",
        "createWorkflowEventEmitter",
        "createWorkspaceContext",
        "workflowStateSchema",
      ]),
    );
    expect(types).toEqual(
      expect.arrayContaining([
        "Agent",
        "CreateAgentParams",
        "Outcome",
        "DecideOutcome",
        "DeliverOutcome",
        "TriggerDelivery",
        "SessionExit",
        "SessionSummary",
        "WorkflowLifecycleEvent",
        "WorkflowEventHandler",
        "ToolContext",
        "ToolPaths",
        "PathAccess",
        "AgentToolDescriptor",
        "SerializedGraph",
        "Trajectory",
        "RunMetadata",
        "TrailStep",
        "PricingTable",
        "UsageSummary",
      ]),
    );
  });

  it("H-5 H-129 hold every error class of the contract", () => {
    expect(publicNames("parkway").values).toEqual(
      expect.arrayContaining([
        "WorkflowLoadError",
        "UnsupportedRuntimeContractError",
        "WorkspaceRootRequiredError",
        "SessionStoreRequiredError",
        "MountCollisionError",
        "AuthoringBackendExposedError",
        "ReservedToolNameError",
        "ToolPathsError",
        "InvalidClockError",
        "UnknownTriggerError",
        "InvalidVariableNameError",
        "InvalidTitleError",
        "InvalidSessionPathError",
        "EmptyMessageError",
        "InvalidTurnFileError",
        "SessionNotParkedError",
        "InvalidDecisionTargetError",
        "StaleDecisionError",
        "SessionNotAwaitingInputError",
        "MissingDeliveryTriggerError",
        "SessionNotResumableError",
        "UnknownSessionTriggerError",
        "SessionStoreIdError",
        "WorkspacePathEscapeError",
        "CaseSchemaError",
        "LeaseLostError",
        "IdempotencyConflictError",
        "CheckpointCorruptError",
        "SessionStoreCapabilityError",
        "InvalidCompletionError",
        "InvalidGuardrailError",
        "InvalidMcpConfigError",
        "ModelOverrideUnsupportedError",
      ]),
    );
  });
});
