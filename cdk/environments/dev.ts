/** To try things in; thrown away with `npx cdk destroy -c env=dev`. */
import type { Environment } from "./environment.js";

export default {
  retention: { removal: "destroy", logDays: 7, finishedDays: 30 },
  turns: { memoryMb: 1_024, maxConcurrency: 10 },
  credentials: ["api-key"],
  modelEnv: {
    ARCHMAX_API_BASE_URL: "ssm:/parkway/dev/model-base-url",
    ARCHMAX_API_KEY: "ssm:/parkway/dev/model-api-key",
    ARCHMAX_MODEL: "ssm:/parkway/dev/model",
  },
} satisfies Environment;
