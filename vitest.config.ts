import { defineConfig } from "vitest/config";

/** A file named `*.long.test.ts` runs with `npm run test:long` only. */
const LONG = "**/*.long.test.ts";
/** A file named `*.moto.test.ts` needs the server that `npm run test:moto` starts; with it run the suites of the stores. */
const MOTO = "**/*.moto.test.ts";
const OVER_MOTO = ["test/contract/dynamodb-*.test.ts"];
/** These run in both, with more histories and every kill point in the long run. */
const SAMPLED = [
  "test/protocol/protocol.property.test.ts",
  "test/crash/crash-matrix.test.ts",
  "test/crash/backend-matrix.test.ts",
  "test/crash/histories.property.test.ts",
  "test/crash/dynamodb-matrix.test.ts",
  "test/aws/crash.test.ts",
  "test/aws/races.test.ts",
];
// What a test waits for comes late on a busy machine.
const shared = {
  environment: "node",
  testTimeout: 30_000,
  hookTimeout: 30_000,
  expect: { poll: { timeout: 20_000 } },
  // What is built is tested as Node loads it.
  server: { deps: { external: [/\/dist\/[^/]+\.js$/] } },
};

export default defineConfig({
  test: {
    // The tests start processes that wait for each other; a worker for every processor keeps them all at work.
    maxWorkers: "100%",
    reporters: process.env.VITEST_REPORT
      ? ["default", ["json", { outputFile: process.env.VITEST_REPORT }]]
      : ["default"],
    projects: [
      {
        test: {
          ...shared,
          name: "unit",
          include: ["{lib,functions,test}/**/*.test.ts"],
          exclude: [LONG, MOTO],
        },
      },
      {
        test: {
          ...shared,
          name: "long",
          include: [`{lib,test}/${LONG}`, ...SAMPLED],
          env: {
            PARKWAY_PROPERTY_RUNS: process.env.PARKWAY_PROPERTY_RUNS ?? "10000",
            PARKWAY_CRASH_POINTS: process.env.PARKWAY_CRASH_POINTS ?? "all",
            PARKWAY_AWS_CRASH_POINTS: process.env.PARKWAY_AWS_CRASH_POINTS ?? "Infinity",
          },
          testTimeout: 300_000,
        },
      },
      {
        test: {
          ...shared,
          name: "moto",
          include: [`test/moto/${MOTO}`, ...OVER_MOTO],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
