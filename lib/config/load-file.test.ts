import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigFileError } from "./errors.js";
import { loadConfigFile } from "./load-file.js";

function rootWith(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), "parkway-config-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(root, name), content);
  return root;
}

describe("parkway.config", () => {
  it("C-73 without a file there is nothing to add", async () => {
    expect(await loadConfigFile(rootWith({}))).toEqual({});
  });

  it.each([
    ["parkway.config.ts", "const price: number = 3; export default { pricing: { default: { input: price } } };"],
    ["parkway.config.js", "export default { pricing: { default: { input: 3 } } };"],
    ["parkway.config.mjs", "export default { pricing: { default: { input: 3 } } };"],
  ])("C-73 loads %s", async (name, source) => {
    expect(await loadConfigFile(rootWith({ [name]: source }))).toEqual({ pricing: { default: { input: 3 } } });
  });

  it.each([
    ["a file that throws", "throw new Error('out of\\norder');", "out of order"],
    ["a file that is no JavaScript", "export default {", "parkway.config.js"],
    ["no default export", "export const tools = [];", "default export"],
    ["an unknown key", "export default { toolz: [] };", '"toolz"'],
    ["tools that are no list", "export default { tools: {} };", '"tools" must be a list'],
  ])("C-73 %s is an error of one line that names the file", async (_what, source, says) => {
    const root = rootWith({ "parkway.config.js": source });

    const error = await loadConfigFile(root).catch((caught: unknown) => caught);

    expect(error).toBeInstanceOf(ConfigFileError);
    expect((error as Error).message).toContain("parkway.config.js");
    expect((error as Error).message).toContain(says);
    expect((error as Error).message).not.toContain("\n");
  });
});
