import { spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { PACKAGE_VERSION } from "../../lib/version.js";
import { aRoot } from "./stage.js";

const SLOW = [
  "title: Slow",
  'runtime: { engine: archmax-harness, version: "3" }',
  "states:",
  "  think:",
  "    instructions: Think.",
  "    triggers:",
  "      manual: { description: Thinks. }",
].join("\n");
const BIN = fileURLToPath(new URL("../../bin/parkway.mjs", import.meta.url));
const EXAMPLES = fileURLToPath(new URL("../fixtures/examples", import.meta.url));

interface Exited {
  exit: number | null;
  out: string;
  err: string;
}

/** Starts the command as a process; `onErr` may act on it while it runs. */
function parkway(argv: readonly string[], onErr?: (text: string, kill: (signal: NodeJS.Signals) => void) => void) {
  return new Promise<Exited>((resolve) => {
    const { ARCHMAX_MODEL: _model, ...env } = process.env;
    const child = spawn(process.execPath, [BIN, ...argv], { env });
    const result: Exited = { exit: null, out: "", err: "" };
    child.stdout.on("data", (data) => {
      result.out += data;
    });
    child.stderr.on("data", (data) => {
      result.err += data;
      onErr?.(result.err, (signal) => child.kill(signal));
    });
    child.on("close", (exit) => resolve({ ...result, exit }));
  });
}

describe("the command as a process", () => {
  it("C-58 C-59 keeps results on stdout and the rest on stderr, and exits by the table", async () => {
    const [version, unknown] = await Promise.all([parkway(["--version"]), parkway(["fly", "to", "rome"])]);

    expect(version).toEqual({ exit: 0, out: `${PACKAGE_VERSION}\n`, err: "" });
    expect(unknown).toMatchObject({ exit: 2, out: "" });
    expect(unknown.err).toContain("try parkway --help");
  });

  it("C-73 a configuration that fails to load is one line after the header and exit 1", async () => {
    const root = aRoot(["order"], { "parkway.config.ts": "export default { toolz: [] as string[] };" });

    const { exit, out, err } = await parkway(["sessions", "--root", root]);

    expect({ exit, out }).toEqual({ exit: 1, out: "" });
    const [, , line, ...rest] = err.trimEnd().split("\n");
    expect(line).toMatch(/^✖ parkway\.config\.ts .*"toolz"/);
    expect(rest).toEqual([]);
  });

  it("C-58 tells what cannot be read in a line, with its code, and without a stack", async () => {
    const env = aRoot(["order"], { ".env/x": "" });
    const store = aRoot([], {
      "workflows/order/workflow.yaml": SLOW,
      "sessions/.parkway/parkway.db": "x".repeat(5_000),
    });

    const answers = await Promise.all([
      parkway(["sessions", "--json", "--root", env]),
      parkway(["sessions", "--json", "--root", store]),
    ]);

    expect(answers.map(({ exit, out }) => [exit, JSON.parse(out).error.code])).toEqual([
      [1, "env-file"],
      [1, "store-unusable"],
    ]);
    for (const { err } of answers) {
      expect(err.split("\n").filter((line) => line.startsWith("✖"))).toHaveLength(1);
      expect(err).not.toMatch(/^ +at /m);
    }
  });

  it("C-58 finishes a turn whose progress nobody reads any more", async () => {
    const root = aRoot([]);
    cpSync(join(EXAMPLES, "hello-park"), root, { recursive: true });
    const variables = JSON.stringify({ visit_id: "visit-8", plate: "ab 12", visitor: "Ada" });
    const argv = ["run", "hello-park", "a car", "--session", "visit-8", "--variables", variables, "--root", root];
    const { exit, out } = await new Promise<Exited>((resolve) => {
      const child = spawn(process.execPath, [BIN, ...argv], { stdio: ["ignore", "pipe", "pipe"] });
      const result: Exited = { exit: null, out: "", err: "" };
      child.stdout.on("data", (data) => {
        result.out += data;
      });
      child.stderr.once("data", () => child.stderr.destroy());
      child.on("close", (code) => resolve({ ...result, exit: code }));
    });

    expect({ exit, out: out.split("\n")[0] }).toEqual({ exit: 0, out: "Guard decides" });
  });

  it("C-64 C-68 C-69 carries a session through a park and a person's decision, one process each", async () => {
    const root = aRoot([]);
    cpSync(join(EXAMPLES, "hello-park"), root, { recursive: true });
    const variables = JSON.stringify({ visit_id: "visit-7", plate: "ab 12", visitor: "Ada" });
    const at = ["--root", root];

    const parked = await parkway([
      "run",
      "hello-park",
      "a car",
      "--session",
      "visit-7",
      "--variables",
      variables,
      ...at,
    ]);
    const listed = await parkway(["sessions", "--workflow", "hello-park", "--json", ...at]);
    const refused = await parkway(["decide", "visit-7", "--to", "nowhere", "--workflow", "hello-park", ...at]);
    const decided = await parkway([
      "decide",
      "visit-7",
      "--to",
      "open-barrier",
      "--workflow",
      "hello-park",
      "--json",
      ...at,
    ]);

    expect(parked.exit).toBe(0);
    expect(parked.err).toContain("⚠ awaiting human decision");
    expect(parked.err).toMatch(/parkway decide visit-7 --to <state> --park \S+ --workflow hello-park/);
    expect(JSON.parse(listed.out)).toMatchObject([
      { sessionId: "visit-7", status: "awaiting_decision", state: "ask-guard" },
    ]);
    expect(refused).toMatchObject({ exit: 1, out: "" });
    expect(refused.err).toContain("open-barrier");
    expect(decided.exit).toBe(0);
    expect(JSON.parse(decided.out)).toMatchObject({ kind: "completed", disposition: "decide", state: "open-barrier" });
  });

  it("C-64 W-29 a disabled workflow exits 1 with an empty stdout and leaves no session", async () => {
    const root = aRoot([], { "workflows/slow/workflow.yaml": `disabled: true\n${SLOW}` });

    const ran = await parkway(["run", "hello", "--session", "a", "--root", root]);
    const listed = await parkway(["sessions", "--root", root]);

    expect(ran).toMatchObject({ exit: 1, out: "" });
    expect(ran.err).toMatch(/\n✖ [^\n]*disabled: true[^\n]*\n$/);
    expect(ran.err.match(/^✖/gm)).toHaveLength(1);
    expect(listed.out).toBe("no sessions\n");
  });

  it("C-65 Ctrl-C aborts a running turn: turn-cancelled, exit 130", async () => {
    const root = aRoot([], {
      "workflows/slow/workflow.yaml": SLOW,
      "script.yaml": "- { text: never said, delayMs: 60000 }\n",
      ".env": "ARCHMAX_MODEL=script:script.yaml\n",
    });
    let sent = false;

    const { exit, out, err } = await parkway(["run", "hello", "--root", root], (text, kill) => {
      if (sent || !text.includes("▶ think")) return;
      sent = true;
      kill("SIGINT");
    });

    expect({ exit, out }).toEqual({ exit: 130, out: "" });
    expect(err).toContain("turn-cancelled");
  });
});
