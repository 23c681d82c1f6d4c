import { describe, expect, it } from "vitest";
import { createMemoryFileStore, createMemorySessionStore } from "../../lib/stores/memory/index.js";
import type { BenchOptions } from "../harness/agent.js";
import { wrapStore } from "../harness/wrap-store.js";
import type { RecordedRequest } from "../model-server/index.js";
import { benches, calls, results, says } from "./support.js";
import { ANSWERS, REVIEWED, toReview } from "./workflows.js";

const open = benches();

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Array(40).fill(7)]);
const BASE64 = Buffer.from(PNG).toString("base64");
const GIF = new TextEncoder().encode("GIF89a and the rest of it");
const SHOT = "/scratchpad/attachments/shot.png";
const read = (file_path: string, id?: string): [string, { file_path: string }, string?] => [
  "read_file",
  { file_path },
  id,
];
const shown = (path: string, type = "image/png", base64 = BASE64) => [
  { type: "text", text: path },
  { type: "image_url", image_url: { url: `data:${type};base64,${base64}` } },
];

/** Role and content of what was sent after the system message. */
const sent = (request: RecordedRequest | undefined) => request?.body.messages.slice(1) ?? [];
const userParts = (request: RecordedRequest | undefined) =>
  sent(request).flatMap(({ role, content }) => (role === "user" && Array.isArray(content) ? [content] : []));

async function look(options: Partial<BenchOptions>, files: Record<string, Uint8Array> = { "shot.png": PNG }) {
  const bench = await open({ spec: ANSWERS, images: true, ...options });
  const outcome = await bench.agent.workflow.send("s1", {
    message: "Look",
    files: Object.fromEntries(Object.entries(files).map(([name, content], n) => [`file${n}`, { name, content }])),
  });
  return { bench, outcome };
}

describe("a picture that the model reads", () => {
  it("H-24 R-236 F-44 is one line, then a user message behind its batch in each later request, and is stored nowhere", async () => {
    const written: string[] = [];
    const sessions = wrapStore(createMemorySessionStore(), (op, run) => {
      written.push(JSON.stringify(op.args));
      return run();
    });
    const { bench, outcome } = await look({
      replies: [calls(read(SHOT, "a"), ["ls", {}, "b"]), says("Seen."), says("Still there.")],
      stores: { sessions, files: createMemoryFileStore() },
    });
    const again = await bench.again({ images: true });
    const { messages } = await again.workflow.send("s1", { message: "More" });

    expect(results(outcome)[0]).toEqual({
      tool: "read_file",
      text: `${SHOT} is a picture (image/png, 48 B). It follows these results.`,
      status: "success",
    });
    expect(userParts(bench.requests[0])).toEqual([]);
    for (const request of bench.requests.slice(1)) {
      const roles = sent(request).map(({ role }) => role);
      const asked = roles.indexOf("assistant");
      expect(roles.slice(asked, asked + 4)).toEqual(["assistant", "tool", "tool", "user"]);
      expect(sent(request)[asked + 3]?.content).toEqual(shown(SHOT));
      expect(userParts(request)).toHaveLength(1);
    }
    expect(bench.requests).toHaveLength(3);
    expect(sent(bench.requests[2]).slice(0, sent(bench.requests[1]).length)).toEqual(sent(bench.requests[1]));
    for (const kept of [written.join(), JSON.stringify(bench.events), JSON.stringify(messages)]) {
      expect(kept).toContain(SHOT);
      expect(kept).not.toContain(BASE64.slice(0, 20));
    }
  });

  it("R-236 is there in the reply-only calls of a park", async () => {
    const { bench } = await look({ spec: REVIEWED, replies: [calls(read(SHOT)), toReview, says("Please decide.")] });

    expect(userParts(bench.requests[2])).toEqual([shown(SHOT)]);
  });

  it("R-236 several of one batch come in one message, by what they are and not by their name", async () => {
    const { bench } = await look(
      { replies: [calls(read(SHOT), read("/scratchpad/attachments/moves.jpg")), says("Seen.")] },
      { "shot.png": PNG, "moves.jpg": GIF },
    );

    expect(userParts(bench.requests[1])).toEqual([
      [...shown(SHOT), ...shown("/scratchpad/attachments/moves.jpg", "image/gif", Buffer.from(GIF).toString("base64"))],
    ]);
  });

  it.each<[string, Partial<BenchOptions>, string]>([
    ["too large", { images: { maxBytes: 47 } }, "it has 48 bytes, and at most 47 are shown"],
    ["no longer kept", { images: { keep: 0 } }, "is no longer shown"],
  ])("R-236 %s, is replaced by a line naming the path", async (_what, options, says_) => {
    const { bench } = await look({ replies: [calls(read(SHOT)), says("Hm.")], ...options });

    expect(userParts(bench.requests[1])).toEqual([[{ type: "text", text: expect.stringContaining(says_) }]]);
    expect(JSON.stringify(userParts(bench.requests[1]))).toContain(SHOT);
  });

  it("R-236 keeps the most recent ones, and leaves out what is gone or no picture any more", async () => {
    const other = "/scratchpad/attachments/other.png";
    const { bench } = await look(
      {
        images: { keep: 1 },
        replies: [calls(read(SHOT)), calls(read(other)), says("Seen."), says("Gone."), says("Changed.")],
      },
      { "shot.png": PNG, "other.png": PNG },
    );
    const line = (text: string) => [{ type: "text", text: expect.stringMatching(text) }];

    expect(userParts(bench.requests[2])).toEqual([line(`${SHOT} is no longer shown`), shown(other)]);

    const { files } = bench.stores;
    await files.remove("s1", other.slice(1));
    await bench.agent.workflow.send("s1", { message: "More" });
    expect(userParts(bench.requests[3])[1]).toEqual(line(`${other} cannot be shown`));
    await files.write("s1", other.slice(1), new TextEncoder().encode("words"));
    await bench.agent.workflow.send("s1", { message: "And now?" });
    expect(userParts(bench.requests[4])[1]).toEqual(line(`${other} .* not a picture`));
    expect(JSON.stringify(bench.requests.slice(3).map(userParts))).not.toContain("image_url");
  });

  it("R-235 R-236 stays an error line without the option, and other bytes with it", async () => {
    const off = await look({ images: false, replies: [calls(read(SHOT)), says("No.")] });
    const fake = await look({ replies: [calls(read(SHOT)), says("No.")] }, { "shot.png": GIF.slice(1) });

    for (const { bench, outcome } of [off, fake]) {
      expect(results(outcome)[0]?.text).toMatch(/^Error: .*shot\.png is not text \(image\/png/);
      expect(userParts(bench.requests[1])).toEqual([]);
    }
  });

  it("R-236 is not shown where a script reads it", async () => {
    const spec = `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    transitions: [{ to: gate, description: Check }]
  gate: { type: code, script: scripts/gate.js, transitions: [{ to: done }] }
  done: { instructions: Close. }
`;
    const script = `export default async ({ tools }) => {
      await tools.archmax_advance({ to: "done", reason: await tools.read_file({ file_path: "${SHOT}" }) });
    };`;
    const { bench, outcome } = await look({
      spec,
      files: { "workflows/case/scripts/gate.js": script },
      replies: [calls(["archmax_advance", { to: "gate", reason: "r" }]), says("Closed.")],
    });

    expect(JSON.stringify(outcome.messages)).toContain("is not text (image/png");
    expect(bench.requests).toHaveLength(2);
    expect(userParts(bench.requests[1])).toEqual([]);
  });

  it.each([[{ maxBytes: 0 }], [{ maxBytes: 1.5 }], [{ keep: -1 }], [{ size: 3 }], ["yes"]])(
    "H-24 H-8 refuses images: %j",
    async (images) => {
      const refused = open({ spec: ANSWERS, images: images as never });

      await expect(refused).rejects.toThrow(TypeError);
      await expect(refused).rejects.toThrow("images");
    },
  );
});
