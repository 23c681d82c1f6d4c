import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

it.each(["s3", "sqs", "eventbridge"])("F-77 loads the client of %s at its first use, by literal name", (folder) => {
  const dir = join(import.meta.dirname, folder);
  const sources = readdirSync(dir).map((name) => readFileSync(join(dir, name), "utf8"));

  for (const text of sources) {
    expect(text).not.toMatch(/^(?:import|export) (?!type)[^;]*from "@(?:aws-sdk|smithy)/m);
    expect(text).not.toMatch(/\bimport\((?!")/);
  }
});
