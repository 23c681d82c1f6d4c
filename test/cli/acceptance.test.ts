/** What a person does on a fresh clone, every command a process of its own. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { readOutbox } from "../../workflows/refund-desk/host/outbox.ts";
import { type ModelServer, startModelServer } from "../model-server/index.js";
import { bundledWorkspace, parkway, type Ran, REPOSITORY } from "../workflows/command.js";

const VISIT = JSON.stringify({ visit_id: "visit-1", plate: "ab-12 cd", visitor: "Ada" });
const REFUND = JSON.stringify({ customer_email: "leo@mail.example", asked_on: "2026-03-20" });
const SLOW_MS = 90_000;

describe("the bundled workflows, from the command line", { timeout: SLOW_MS }, () => {
  let first: Ran;
  beforeAll(async () => {
    // Whoever comes first may have to build.
    first = await parkway(REPOSITORY, ["--version"]);
  }, SLOW_MS);

  it("C-60 C-64 C-68 C-69 C-72 hello-park parks, shows its park, is decided, and refuses what comes too late", async () => {
    expect(first.exit).toBe(0);
    const root = bundledWorkspace();

    const parked = await parkway(root, [
      "run",
      "hello-park",
      "hello",
      "--session",
      "t1",
      "--variables",
      VISIT,
      "--json",
    ]);
    const shown = await parkway(root, ["sessions", "t1", "--json"]);
    const astray = await parkway(root, ["decide", "t1", "--to", "check-out", "--json"]);
    const unchanged = await parkway(root, ["sessions", "t1", "--json"]);
    const decided = await parkway(root, ["decide", "t1", "--to", "open-barrier", "--json"]);
    const late = await parkway(root, ["decide", "t1", "--to", "open-barrier", "--json"]);
    const after = await parkway(root, ["sessions", "t1", "--json"]);

    expect(parked.exit).toBe(0);
    expect(JSON.parse(parked.out)).toMatchObject({ kind: "parked", parkedChannel: "decision", state: "ask-guard" });
    expect(JSON.parse(shown.out)).toMatchObject({ status: "awaiting_decision", state: "ask-guard" });
    expect(astray.exit).toBe(1);
    expect(JSON.parse(astray.out)).toMatchObject({ error: { name: "InvalidDecisionTargetError" } });
    expect(unchanged.out).toBe(shown.out);
    expect(decided.exit).toBe(0);
    expect(JSON.parse(decided.out)).toMatchObject({ kind: "completed", exit: { success: true } });
    expect(late.exit).toBe(1);
    expect(JSON.parse(late.out)).toMatchObject({ error: { name: "SessionNotParkedError" } });
    expect(JSON.parse(after.out)).toMatchObject({ status: "completed", variables: { outcome: { value: "admitted" } } });
  });

  it("C-74 S-59 F-21 F-26 hello-wait is woken once after its time, though five sweeps run at once", async () => {
    const root = bundledWorkspace();
    const script = { ARCHMAX_MODEL: `script:${join(REPOSITORY, "test", "cli", "two-seconds.yaml")}` };

    const asked = ["run", "hello-wait", "Cool down.", "--session", "w1", "--variables", '{"minutes":1}', "--json"];
    const parked = await parkway(root, asked, script);
    const early = await parkway(root, ["wake"], script);
    const { pending } = JSON.parse(parked.out) as { pending: { resumeAt: string } };
    await until(Date.parse(pending.resumeAt));
    const sweeps = await Promise.all([1, 2, 3, 4, 5].map(() => parkway(root, ["wake"], script)));
    const after = await parkway(root, ["sessions", "w1", "--json"]);

    expect(JSON.parse(parked.out)).toMatchObject({ kind: "parked", parkedChannel: "input" });
    expect(early.out).toBe("0 of 0 due woken\n");
    const woken = sweeps.map((sweep) => Number(sweep.out.split(" ")[0]));
    expect(sweeps.map((sweep) => sweep.exit)).toEqual([0, 0, 0, 0, 0]);
    expect(woken.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(JSON.parse(after.out)).toMatchObject({ status: "completed", variables: { outcome: { value: "resumed" } } });
  });

  it.each(["1", "0"])("H-16 H-125 refund-desk runs against an endpoint, ARCHMAX_STREAMING=%s", async (streaming) => {
    const root = bundledWorkspace();
    const server = await refundServer();
    const env = {
      ARCHMAX_API_BASE_URL: server.url,
      ARCHMAX_API_KEY: "key",
      ARCHMAX_MODEL: "desk-model",
      ARCHMAX_STREAMING: streaming,
    };

    const asked = ["run", "refund-desk", "Refund NL-310.", "--session", "r1", "--variables", REFUND, "--json"];
    const parked = await parkway(root, asked, env);
    const decided = await parkway(root, ["decide", "r1", "--to", "draft-email", "--json"], env);
    await server.close();

    expect(JSON.parse(parked.out)).toMatchObject({ kind: "parked", state: "review" });
    expect(JSON.parse(decided.out)).toMatchObject({ kind: "completed", variables: { outcome: { value: "refunded" } } });
    expect(server.requests.every((request) => request.body.stream === (streaming === "1"))).toBe(true);
    const { refunds, letters, tasks } = readOutbox(join(root, "outbox"));
    expect(refunds).toEqual([{ key: "refund-NL-310", order_id: "NL-310", amount_cents: 42_000 }]);
    expect(letters).toMatchObject([{ to: "leo@mail.example" }]);
    expect(tasks).toEqual([]);
    expect(readdirSync(join(root, "sessions", "r1", "scratchpad")).sort()).toEqual(["assessment.md", "email.md"]);
  });

  it("C-67 W-291 every bundled workflow is valid; a spec with ten mistakes gets ten diagnostics and exit 1", async () => {
    const bundled = readdirSync(join(REPOSITORY, "workflows"));
    const verdicts = await Promise.all(bundled.map((slug) => parkway(REPOSITORY, ["validate", slug])));
    const broken = await parkway(join(REPOSITORY, "test", "fixtures", "ten-mistakes"), ["validate"]);

    expect(bundled.length).toBeGreaterThanOrEqual(3);
    expect(verdicts.map(({ exit, out }) => [exit, out])).toEqual(
      bundled.map(() => [0, "valid — 0 error(s), 0 warning(s)\n"]),
    );
    expect(broken.exit).toBe(1);
    const findings = broken.err.split("\n").filter((line) => /workflows\/\S+:\d+:\d+ /.test(line));
    expect(findings).toHaveLength(10);
    expect(findings.every((line) => /[a-z-]+\/[a-z-]+/.test(line))).toBe(true);
  });
});

/** Real time is part of what is tested here: the sweeps are other processes. */
function until(instant: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, instant - Date.now()) + 1));
}

async function refundServer(): Promise<ModelServer> {
  const { parseModelScript } = await import("../../lib/models/index.js");
  const { readFileSync } = await import("node:fs");
  const file = join(REPOSITORY, "test", "scripts", "refund-large.yaml");
  expect(existsSync(file)).toBe(true);
  return startModelServer({ script: parseModelScript(readFileSync(file, "utf8"), file) });
}
