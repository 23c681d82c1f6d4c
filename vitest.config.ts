import { defineConfig } from "vitest/config";

/** A file named `*.long.test.ts` runs with `npm run test:long` only. */
const LONG = "**/*.long.test.ts";
/** Runs in both, with more histories in the long run. */
const PROPERTY = "test/protocol/protocol.property.test.ts";
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
          include: [`{lib,test}/${LONG}`, PROPERTY],
          env: { PARKWAY_PROPERTY_RUNS: process.env.PARKWAY_PROPERTY_RUNS ?? "10000" },
          testTimeout: 300_000,
        },
      },
    ],
  },
});
