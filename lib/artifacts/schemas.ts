/** The artifacts' JSON Schemas (H-110). Properties they do not name are allowed everywhere. */

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const count = { type: "integer" } as const;
const DRAFT = "https://json-schema.org/draft/2020-12/schema";

const message = {
  type: "object",
  required: ["kind", "role", "content"],
  properties: { kind: { const: "message" }, role: text, content: text },
} as const;

const toolCall = {
  type: "object",
  required: ["kind", "name", "args", "result"],
  properties: { kind: { const: "tool_call" }, name: text, args: {}, result: { type: ["string", "null"] } },
} as const;

const segment = {
  type: "object",
  required: ["state", "items"],
  properties: {
    state: text,
    enteredState: text,
    exitedState: text,
    items: { type: "array", items: { oneOf: [message, toolCall] } },
  },
} as const;

const step = {
  type: "object",
  required: ["to", "kind", "ts"],
  properties: {
    to: text,
    kind: { enum: ["trigger", "agent", "human", "grader", "code", "sub-workflow", "reset", "on_error"] },
    reason: text,
    workflow: text,
    status: { enum: ["ok", "error"] },
    by: text,
    ts: { type: "string", format: "date-time" },
  },
} as const;

/**
 * JSON Schemas (2020-12) of a session's run artifacts, by file name (H-110). `graph.mmd` is no JSON; its text stands in
 * `graph.json` too.
 */
export const ARTIFACT_SCHEMAS = {
  "graph.json": {
    $schema: DRAFT,
    type: "object",
    required: ["nodes", "edges", "finals", "mermaid"],
    properties: {
      nodes: { type: "array", items: text },
      edges: {
        type: "array",
        items: {
          type: "object",
          required: ["source", "target", "conditional"],
          properties: { source: text, target: text, conditional: flag, label: text },
        },
      },
      entry: text,
      finals: { type: "array", items: text },
      mermaid: text,
    },
  },
  "trajectory.json": {
    $schema: DRAFT,
    type: "object",
    required: ["sessionId", "workflow", "finalAnswer", "segments"],
    properties: {
      sessionId: text,
      workflow: text,
      prompt: text,
      finalAnswer: text,
      segments: { type: "array", items: segment },
    },
  },
  "trail.json": {
    $schema: DRAFT,
    type: "object",
    required: ["sessionId", "workflow", "steps"],
    properties: { sessionId: text, workflow: text, steps: { type: "array", items: step } },
  },
  "variables.json": {
    $schema: DRAFT,
    type: "object",
    additionalProperties: { type: "object", required: ["value", "locked"], properties: { value: {}, locked: flag } },
  },
  "metadata.json": {
    $schema: DRAFT,
    type: "object",
    required: ["sessionId", "workflow", "runtimeContract", "packageVersion"],
    properties: {
      sessionId: text,
      workflow: text,
      runtimeContract: {
        type: "object",
        required: ["engine", "version", "source"],
        properties: { engine: text, version: text, source: { enum: ["declared", "defaulted"] } },
      },
      packageVersion: text,
      specHash: text,
      usage: {
        type: "object",
        required: ["inputTokens", "outputTokens", "cacheReadTokens", "cacheCreationTokens"],
        properties: {
          inputTokens: count,
          outputTokens: count,
          cacheReadTokens: count,
          cacheCreationTokens: count,
          costUsd: { type: "number" },
        },
      },
    },
  },
} as const;
