/** `parkway/messages`: reading transcripts, fit for a browser. Imports nothing (H-2, H-122). */
export { isRuntimeNote, RUNTIME_NOTE_KINDS, type RuntimeNoteKind, runtimeNoteKind } from "./notes.js";
export {
  contentToString,
  isAiMessage,
  isHumanMessage,
  lastAgentText,
  lastTurn,
  messagesSince,
  opensTurn,
} from "./readers.js";
export { type MessageLike, type MessageType, messageTypeOf } from "./shapes.js";
