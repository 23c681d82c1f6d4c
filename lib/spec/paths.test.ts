import { describe, expect, it } from "vitest";
import {
  BINARY_MIME_TYPES,
  DEFAULT_TRIGGER_ID,
  DEFAULT_WORKFLOW,
  MANUAL_TRIGGER,
  runArtifactPaths,
  sessionPaths,
  specPath,
  WORKFLOW_TOOL_PREFIX,
  workflowPaths,
  workflowSlugFromToolName,
  workflowToolName,
} from "./index.js";

describe("paths and names of tools", () => {
  it("H-6 W-241 names a workflow as a tool and back", () => {
    expect(WORKFLOW_TOOL_PREFIX).toBe("archmax_workflow_");
    expect(workflowToolName("refund-desk")).toBe("archmax_workflow_refund-desk");
    expect(workflowSlugFromToolName("archmax_workflow_refund-desk")).toBe("refund-desk");
    expect(workflowSlugFromToolName("archmax_workflow_No_Slug")).toBe("No_Slug");
    expect(workflowSlugFromToolName("archmax_wait")).toBeNull();
  });

  it("H-6 W-99 reserves the trigger id manual", () => {
    expect(MANUAL_TRIGGER).toBe("manual");
    expect(DEFAULT_TRIGGER_ID).toBe(MANUAL_TRIGGER);
  });

  it("H-6 names the workflow that governs where none is named", () => {
    expect(DEFAULT_WORKFLOW).toBe("order-lookup");
  });

  it("H-6 W-6 W-52 spells the paths of workflows, sessions and specs", () => {
    expect(workflowPaths("x")).toMatchObject({ spec: "workflows/x/workflow.yaml", prose: "workflows/x/WORKFLOW.md" });
    expect(sessionPaths("a/b").checkpoints).toBe("a/b/checkpoints");
    expect(runArtifactPaths("a/b")).toMatchObject({ dir: "a/b/artifacts", mermaid: "a/b/artifacts/graph.mmd" });
    expect(specPath("00ff")).toBe("_specs/00ff.json");
  });

  it("H-83 knows what a text write carries as base64", () => {
    expect(BINARY_MIME_TYPES.pdf).toBe("application/pdf");
    expect(BINARY_MIME_TYPES.png).toBe("image/png");
    expect(BINARY_MIME_TYPES).not.toHaveProperty("svg");
    expect(BINARY_MIME_TYPES).not.toHaveProperty("docx");
  });
});
