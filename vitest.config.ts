import { defineConfig } from "vitest/config";

/** A file named `*.long.test.ts` runs with `npm run test:long` only. */
const LONG = "**/*.long.test.ts";
/** These run in both, with more histories and every kill point in the long run. */
const SAMPLED = ["test/protocol/protocol.property.test.ts", "test/crash/dynamodb-matrix.test.ts"];
const shared = { environment: "node", testTimeout: 20_000, hookTimeout: 20_000 };

export default defineConfig({
  test: {
    reporters: process.env.VITEST_REPORT
      ? ["default", ["json", { outputFile: process.env.VITEST_REPORT }]]
      : ["default"],
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["{lib,test}/**/*.test.ts"],
          exclude: [LONG],
        },
      },
      {
        test: {
          ...shared,
          name: "long",
          include: [`{lib,test}/${LONG}`, ...SAMPLED],
          env: {
            PARKWAY_PROPERTY_RUNS: process.env.PARKWAY_PROPERTY_RUNS ?? "10000",
            PARKWAY_CRASH_POINTS: "all",
          },
          testTimeout: 300_000,
        },
      },
    ],
  },
});
