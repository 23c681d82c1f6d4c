/** `parkway/cli`: how events and outcomes look in a terminal. */
export { renderEventLine } from "../session/event-line.js";
export { createStateFlowRenderer, type StateFlowOptions } from "./state-flow.js";
export { createStyle, icons, type Style } from "./style.js";
export {
  caseVerdictLine,
  createTestView,
  type RecordedNote,
  type TestView,
  type TestViewOptions,
} from "./test-view.js";
