/** Which runtime contract a spec is for (H-27, H-54). */
import type { WorkflowSpec } from "../spec/types.js";

export interface RuntimeContract {
  engine: string;
  version: string;
  source: "declared" | "defaulted";
}

export function runtimeContractOf({ runtime }: Pick<WorkflowSpec, "runtime">): RuntimeContract {
  return {
    engine: runtime?.engine ?? "archmax-harness",
    version: String(runtime?.version ?? "3"),
    source: runtime ? "declared" : "defaulted",
  };
}
