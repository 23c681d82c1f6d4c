/** Keeps its data whatever happens to the stack. Your domain and your addresses for alarms belong here. */
import type { Environment } from "./environment.js";

export default {
  retention: { removal: "retain", logDays: 90 },
  // 1,769 MB are one processor: scripts and checkpoints of a turn want it.
  turns: { memoryMb: 1_769, maxConcurrency: 100 },
  credentials: ["api-key"],
  modelEnv: {
    ARCHMAX_API_BASE_URL: "ssm:/parkway/prod/model-base-url",
    ARCHMAX_API_KEY: "ssm:/parkway/prod/model-api-key",
    ARCHMAX_MODEL: "ssm:/parkway/prod/model",
  },
} satisfies Environment;
