/** An OpenAI-compatible model endpoint for tests and demos. */
export { fromScript, type ServerCall, type ServerReply } from "./reply.js";
export {
  type ChatRequest,
  type ModelServer,
  type ModelServerOptions,
  type RecordedRequest,
  startModelServer,
  viewOf,
} from "./server.js";
