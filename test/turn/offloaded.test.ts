import { describe, expect, it } from "vitest";
import type { Bench } from "../harness/agent.js";
import { benches, calls, ofType, results, says } from "./support.js";

const open = benches();

/** A session with a part of its history put aside, and a long result. */
async function withHistory(lists: string, made: Parameters<typeof calls>, files = {}): Promise<Bench> {
  const bench = await open({
    spec: `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    ${lists}
`,
    files,
    replies: [calls(...made), says("end")],
  });
  const put = (path: string, text: string) => bench.stores.files.write("s1", path, new TextEncoder().encode(text));
  await put("conversation_history/part-1.md", "needle of long ago");
  await put("large_tool_results/call-1.txt", "needle of a result");
  return bench;
}

describe("what the runtime put aside", () => {
  it.each(["conversation_history/part-1.md", "large_tool_results/call-1.txt"])(
    "R-247 R-218 W-252 %s is read and listed, whatever the guards of the tools say",
    async (path) => {
      const bench = await withHistory(
        'tools: { allow: [{ tool: read_file, paths: ["notes/**"] }, { tool: ls, paths: ["notes/**"] }] }',
        [
          ["read_file", { file_path: path }],
          ["ls", { path: path.split("/")[0] }],
        ],
      );
      const [read, listed] = results(await bench.agent.workflow.send("s1", { message: "go" }));

      expect(read).toMatchObject({ status: "success", text: expect.stringContaining("needle of") });
      expect(listed?.text).toBe(`/${path}`);
    },
  );

  it("R-247 R-205 W-252 is neither written, edited, moved nor removed, by no tool and in no spelling", async () => {
    const path = "conversation_history/part-1.md";
    const bench = await withHistory("", [
      ["write_file", { file_path: path, content: "x" }],
      ["write_file", { file_path: "scratchpad/../conversation_history//new.md", content: "x" }],
      ["edit_file", { file_path: path, old_string: "needle", new_string: "x" }],
      ["copy_file", { source: path, destination: "conversation_history/copy.md" }],
      ["move_file", { source: path, destination: "scratchpad/moved.md" }],
      ["remove_file", { file_path: path }],
    ]);
    const answered = results(await bench.agent.workflow.send("s1", { message: "go" }));

    expect(answered.map(({ refusal }) => refusal)).toEqual(Array(6).fill("blocked:zone.runtime-managed"));
    const kept = await bench.stores.files.list("s1");
    expect(kept.map((file) => file.path).filter((name) => name.startsWith("conversation_history"))).toEqual([path]);
  });

  it("R-247 R-225 nor by a script, which reads it", async () => {
    const bench = await open({
      spec: `
states:
  work:
    type: code
    script: scripts/w.js
    triggers: { manual: }
    tools: { allow: [read_file, write_file] }
`,
      files: {
        "workflows/case/scripts/w.js": `export default async ({ tools }) => {
          const file_path = "conversation_history/part-1.md";
          console.log(await tools.read_file({ file_path }));
          try { await tools.write_file({ file_path, content: "x" }); } catch (error) { console.log(error.ruleId); } }`,
      },
    });
    await bench.stores.files.write("s1", "conversation_history/part-1.md", new TextEncoder().encode("long ago"));
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(ofType(bench.events, "code-output").map(({ line }) => line)).toEqual(["long ago", "zone.runtime-managed"]);
  });
});
