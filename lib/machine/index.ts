export {
  type AdvanceCode,
  type AdvanceRequest,
  type AdvanceVerdict,
  checkAdvance,
  type EvidenceJudgement,
  MAX_EVIDENCE_PATHS,
  missingRequires,
} from "./advance.js";
export {
  type CompilableSpec,
  compileMachine,
  entryStateFor,
  stateOf,
  transitionTo,
} from "./compile.js";
export { calledWorkflows, type GraphEdge, type GraphNode, graphOf, START_NODE, type WorkflowGraph } from "./graph.js";
export { renderMermaid } from "./mermaid.js";
export { type Opening, type OpeningInput, openingState } from "./opening.js";
export { PLAIN_STATE, PLAIN_WORKFLOW, type PlainGrants, plainMachine } from "./plain.js";
export { type ClockInput, clockLine } from "./prompt/clock.js";
export { GRADER_PREAMBLE, renderGraderSystem, renderGraderTask } from "./prompt/grader.js";
export { composeHandoffText } from "./prompt/handoff.js";
export { stripComments } from "./prompt/markdown.js";
export type { PromptMount, StateMount } from "./prompt/mount.js";
export { type ParkedNotice, renderParkedBlock } from "./prompt/parked.js";
export { applyTopLevelOnly, BUILTIN_PLATFORM_PROMPT } from "./prompt/platform.js";
export { renderStateBlock, type StateBlockInput } from "./prompt/state-block.js";
export { renderStaticPrompt, type StaticPromptInput } from "./prompt/static.js";
export { renderTransitions } from "./prompt/transitions.js";
export { type RuntimeContract, runtimeContractOf } from "./runtime-contract.js";
export type { Machine, MachineState, MachineTrigger } from "./types.js";
