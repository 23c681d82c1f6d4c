export { readableEvidencePath } from "./evidence.js";
export { judgeCall } from "./judge.js";
export { argumentLimits } from "./limits.js";
export { reachableMounts } from "./mounts.js";
export {
  AUTOMATED_CONTROLS,
  BUILTIN_PATHS,
  CONTROL_TOOLS,
  DEFAULT_TOOLS,
  NEVER_AUTOMATED,
  RESERVED_TOOL_NAMES,
  RESERVED_TOOL_PREFIX,
  UNGRANTABLE,
} from "./names.js";
export { offeredTools, scriptTools } from "./offered.js";
export { type CanonicalPath, canonicalPath, mountOf, type Zone, zoneOf } from "./paths.js";
export { enabledSkills, skillOf } from "./skills.js";
export type {
  CallOrigin,
  GovernanceRule,
  GovernanceTables,
  InheritedDenials,
  MountInfo,
  PathAccess,
  PolicyCall,
  ProposedCall,
  ToolPaths,
  Verdict,
} from "./types.js";
export { type VisibilityRequest, visibilityFilter, visiblePath } from "./visible.js";
