import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("F-77 loads model packages inside functions only, by literal name", () => {
  const sources = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(name),
  );

  for (const name of sources) {
    const text = readFileSync(`${import.meta.dirname}/${name}`, "utf8");
    expect(text, name).not.toMatch(/^(?:import|export) (?!type)[^;]*from "(?:@langchain|openai)/m);
    expect(text, name).not.toMatch(/\bimport\((?!")/);
  }
});
