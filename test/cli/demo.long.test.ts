/** `parkway demo` as processes, in the repository's own workspace: what is left of one must not disturb the next. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const BIN = fileURLToPath(new URL("../../bin/parkway.mjs", import.meta.url));

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** `onErr` gets all of stderr whenever there is more of it. */
function demo(onErr?: (text: string, child: ChildProcess) => void): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [BIN, "demo"], { stdio: ["ignore", "pipe", "pipe"] });
    const ended: Ended = { code: null, out: "", err: "" };
    child.stdout.on("data", (data) => {
      ended.out += data;
    });
    child.stderr.on("data", (data) => {
      ended.err += data;
      onErr?.(ended.err, child);
    });
    child.on("close", (code) => resolve({ ...ended, code }));
  });
}

function interruptedAt(words: string): Promise<Ended> {
  let sent = false;
  return demo((text, child) => {
    if (sent || !text.includes(words)) return;
    sent = true;
    child.kill("SIGINT");
  });
}

describe("the demo", () => {
  it("C-65 C-74 ends at Ctrl-C with its worker, and the next one is not disturbed by what is left", async () => {
    const waiting = await interruptedAt("swept too early");
    const unpaid = await interruptedAt("Another worker finds");

    for (const { code, out, err } of [waiting, unpaid]) {
      expect(code).toBe(130);
      expect(out).toBe("");
      expect(err.trimEnd().split("\n").at(-1)).toBe("✖ turn-cancelled");
      expect(err).not.toContain("It did not hold");
    }
    const again = await demo();
    expect(again.err).not.toContain("✖ It did not hold");
    expect(again.out).toContain("All of it happened as shown");
    expect(again.code).toBe(0);
  });
});
