import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** Imported at run time only, so that a bundle takes of its packages what is named and nothing else. */
const NAMED_PACKAGES = "bedrock-packages";

it("F-77 loads model packages inside functions only, by literal name", () => {
  const sources = readdirSync(import.meta.dirname).filter(
    (name) => name.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(name),
  );

  for (const name of sources) {
    const text = readFileSync(`${import.meta.dirname}/${name}`, "utf8");
    if (name !== `${NAMED_PACKAGES}.ts`) {
      expect(text, name).not.toMatch(/^(?:import|export) (?!type)[^;]*from "(?:@langchain|openai|@aws-sdk)/m);
    }
    expect(text, name).not.toMatch(new RegExp(`from "\\./${NAMED_PACKAGES}`));
    expect(text, name).not.toMatch(/\bimport\((?!")/);
  }
});
