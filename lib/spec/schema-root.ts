/** Shape of the root and of the blocks that only stand there (W-23…W-48). States are read one by one. */
import * as z from "zod";
import { rootMountsSchema, rootSkillsSchema, rootToolsSchema } from "./schema-governance.js";
import { metadata, modelId } from "./schema-state.js";
import { naturalNumber, positiveInteger, says, text } from "./shape.js";

export const runtimeSchema = z.strictObject({
  engine: z.string().optional(),
  version: z.union([z.string(), z.number()], says("schema/type", "must be a number or text")).optional(),
});

export const promptCacheSchema = z.strictObject({
  enabled: z.boolean().optional(),
  ttl: z.enum(["5m", "1h"]).optional(),
});

export const settingsSchema = z.strictObject({
  model: modelId().optional(),
  timeoutMs: positiveInteger().optional(),
  memoryLimitBytes: positiveInteger().optional(),
  maxPtcCalls: naturalNumber().nullable().optional(),
  maxResultChars: positiveInteger().optional(),
  prompt_cache: promptCacheSchema.optional(),
});

export const judgeOptionsSchema = z.strictObject({
  temperature: z.number().min(0, says("schema/range", "must be a number that is not negative")).optional(),
  maxTokens: positiveInteger().optional(),
});

export const judgeSchema = z.strictObject({ model: text().optional(), modelOptions: judgeOptionsSchema.optional() });

export const testsSchema = z.strictObject({
  maxConcurrency: positiveInteger().max(1, says("tests/concurrency", "must be 1: cases run one at a time")).optional(),
  caseTimeoutMs: positiveInteger().optional(),
  judge: judgeSchema.optional(),
});

export const rootSchema = z.strictObject({
  title: text().optional(),
  instructions: text().optional(),
  runtime: runtimeSchema.optional(),
  // Anything that is not absent, null or false disables the workflow (W-27): a check finding, not a matter of shape.
  disabled: z
    .unknown()
    .optional()
    .meta({ type: ["boolean", "null"] }),
  settings: settingsSchema.optional(),
  tests: testsSchema.optional(),
  metadata: metadata().optional(),
  tools: rootToolsSchema.optional(),
  skills: rootSkillsSchema.optional(),
  mounts: rootMountsSchema.optional(),
  states: z.unknown().optional(),
});
