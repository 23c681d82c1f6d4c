import { type ChildProcess, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { aWorkspace } from "./workspace.js";

const BIN = fileURLToPath(new URL("../../bin/parkway.mjs", import.meta.url));

const FILES = {
  ".env": "ARCHMAX_MODEL=script:script.yaml\nGATE_SECRET=hunter2\n",
  "parkway.config.ts": `import { defineConfig } from "parkway";
export default defineConfig({
  webhooks: { "hello-park/gate_camera": { verify: { scheme: "hmac-sha256", secrets: ["env:GATE_SECRET"] } } },
  schedules: { daily: { workflow: "echo", trigger: "told", schedule: "cron(0 8 ? * MON-FRI *)", timeZone: "Europe/Vienna" } },
});
`,
  "script.yaml": `replies:
  - when: { parked: true }
    text: I am waiting for the barrier.
  - when: { state: cool-down, call: 1 }
    toolCalls: [{ name: archmax_wait, args: { reason: barrier cooling down, until: 1s } }]
  - when: { state: cool-down, step: 1 }
    toolCalls: [{ name: archmax_advance, args: { to: resumed, reason: The pause is over. } }]
`,
};

class Started {
  readonly child: ChildProcess;
  err = "";
  readonly #exited: Promise<unknown[]>;

  constructor(rootDir: string) {
    const { ARCHMAX_MODEL: _model, ...env } = process.env;
    this.child = spawn(process.execPath, [BIN, "dev", "--port", "0", "--root", rootDir], { env });
    this.#exited = once(this.child, "exit");
    this.child.stderr?.on("data", (data) => {
      this.err += data;
    });
    onTestFinished(() => void this.child.kill("SIGKILL"));
  }

  /** The first match in what stderr says, now or later. */
  async says(pattern: RegExp): Promise<string> {
    while (true) {
      const found = pattern.exec(this.err);
      if (found) return found[1] ?? found[0];
      const more = this.child.stderr ? once(this.child.stderr, "data") : Promise.reject(new Error("no stderr"));
      const ended = this.#exited.then(() =>
        Promise.reject(new Error(`it ended without saying ${pattern}: ${this.err}`)),
      );
      await Promise.race([more, ended]);
    }
  }

  async stop(signal: NodeJS.Signals): Promise<unknown> {
    this.child.kill(signal);
    return (await this.#exited)[0];
  }
}

describe("parkway dev as a process", () => {
  it("F-87 C-73 starts from a configuration, survives a kill in the middle of a wait, and ends with Ctrl-C", async () => {
    const { rootDir, remove } = aWorkspace(FILES);
    onTestFinished(remove);
    const body = JSON.stringify({ visit_id: "visit-7", plate: "ab 12", visitor: "Ada" });
    const signature = createHmac("sha256", "hunter2").update(body).digest("hex");

    const first = new Started(rootDir);
    const url = await first.says(/url +(http:\/\/127\.0\.0\.1:\d+)/);
    const key = await first.says(/key +(pw_local_\w+)/);
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${key}` };
    await first.says(/daily fires echo\/told: .* next at 20/);
    const hooked = await fetch(`${url}/hooks/hello-park/gate_camera`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", "X-Signature": signature },
    });
    await first.says(/visit-7 parked in ask-guard, waits for a decision/);
    const waiting = await fetch(`${url}/v1/workflows/hello-wait/sessions`, {
      method: "POST",
      headers,
      body: JSON.stringify({ sessionId: "barrier-1", message: "Pause.", variables: { minutes: 1 } }),
    });
    await first.says(/barrier-1 parked in cool-down, waits for an event/);
    await first.stop("SIGKILL");

    const second = new Started(rootDir);
    await second.says(/barrier-1 completed in resumed/);
    const exit = await second.stop("SIGINT");
    const third = new Started(rootDir);
    await third.says(/url +http/);
    const terminated = await third.stop("SIGTERM");

    expect([hooked.status, waiting.status]).toEqual([202, 202]);
    expect(first.err).toContain(`POST ${url}/hooks/hello-park/gate_camera (hmac-sha256)`);
    expect(first.err).not.toContain("hunter2");
    expect(second.err).not.toContain("pw_local_");
    expect(second.err).toContain("stopping");
    expect([exit, terminated]).toEqual([0, 0]);
  }, 60_000);

  it("C-58 a port that is none, or a root without workflows, is told in one line", async () => {
    const { rootDir, remove } = aWorkspace();
    onTestFinished(remove);
    const { runCli, aRoot } = await import("../cli/stage.js");

    const port = await runCli(["dev", "--port", "http", "--root", rootDir]);
    const empty = await runCli(["dev", "--root", aRoot([])]);

    expect(port).toMatchObject({ exit: 2, out: "" });
    expect(port.err).toContain("--port");
    expect(empty).toMatchObject({ exit: 2, out: "" });
    expect(empty.err).toContain("there is no workflow");
  });
});
