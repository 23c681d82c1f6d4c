import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRemoteClient } from "../../lib/cli/remote/client.js";
import { PATHS } from "../../lib/http/index.js";
import { type LocalHost, startLocal } from "../../lib/local/index.js";
import { aWorkspace, SCRIPTED } from "../local/workspace.js";
import { runCli } from "./stage.js";

const VISIT = '{"visit_id":"visit-7","plate":"ab 12","visitor":"Ada"}';

async function environment() {
  const { rootDir, remove } = aWorkspace();
  const host = await startLocal({ rootDir, config: {}, env: SCRIPTED, port: 0, tell: () => {} });
  onTestFinished(async () => {
    await host.close();
    remove();
  });
  return host;
}

/** The command as it is called with an environment: the stage's own agent would tell if it were opened. */
async function remote({ url, newKey }: Pick<LocalHost, "url" | "newKey">, ...argv: string[]) {
  return runCli([...argv, "--endpoint", url], { env: { PARKWAY_API_KEY: newKey ?? "" }, endpoint: true });
}

async function aServer(answer: RequestListener): Promise<string> {
  return listening(createServer(answer));
}

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe("the command against a deployed environment", () => {
  it("C-71 runs a turn there, shows the session, decides it, with the output and exit codes of a workspace", async () => {
    const host = await environment();

    const ran = await remote(host, "run", "hello-park", "hello", "--session", "t1", "--variables", VISIT, "--json");
    const shown = await remote(host, "sessions", "t1", "--json");
    const listed = await remote(host, "sessions", "--workflow", "hello-park");
    const wrong = await remote(host, "decide", "t1", "--to", "nowhere");
    const decided = await remote(host, "decide", "t1", "--to", "open-barrier", "--json");
    const again = await remote(host, "decide", "t1", "--to", "open-barrier", "--json");

    expect(ran.exit).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({ kind: "parked", state: "ask-guard", disposition: "turn" });
    expect(ran.err).toContain("--workflow hello-park --endpoint http://127.0.0.1");
    expect(ran.err).toMatch(/check-in → ask-guard/);
    expect(JSON.parse(shown.out)).toMatchObject({ sessionId: "t1", state: "ask-guard", workflow: "hello-park" });
    expect(listed.out).toMatch(/^t1 {2}awaiting_decision {2}open {2}ask-guard/);
    expect(wrong).toMatchObject({ exit: 1, out: "" });
    expect(wrong.err).toContain("nowhere");
    expect(decided.exit).toBe(0);
    const outcome = JSON.parse(decided.out);
    expect(outcome).toMatchObject({ kind: "completed", variables: { outcome: { value: "admitted" } } });
    expect(outcome.auditTrail.map((step: { to: string }) => step.to)).toEqual([
      "check-in",
      "ask-guard",
      "open-barrier",
    ]);
    expect(typeof outcome.auditTrail[0].ts).toBe("number");
    expect(again.exit).toBe(1);
    expect(JSON.parse(again.out)).toMatchObject({
      error: { name: "RemoteProblemError", code: "session-not-parked", status: 409 },
    });
  });

  it("C-71 delivers and replies there, and tells a turn that failed with its exit code", async () => {
    const host = await environment();
    await remote(host, "run", "hello-wait", "wait", "--session", "w1", "--variables", '{"minutes":2}');

    const delivered = await remote(host, "deliver", "w1", "--trigger", "timer");
    const replied = await remote(host, "reply", "w1", "hello");
    const missing = await remote(host, "sessions", "nobody");
    const unknown = await remote(host, "run", "nothing-here", "hello");

    expect(delivered.exit).toBe(0);
    expect(delivered.err).toContain("✔ answer");
    expect(replied.exit).toBe(1);
    expect(replied.err).toMatch(/✖ /);
    expect(missing).toMatchObject({ exit: 1, out: "" });
    expect(unknown.exit).toBe(1);
  });

  it("C-71 needs a key and an address that keeps it private: usage errors, before anything is sent", async () => {
    const without = await runCli(["sessions", "--endpoint", "https://desk.example.com"]);
    const clear = await remote({ url: "http://desk.example.com", newKey: "pw_x" }, "sessions");
    const none = await remote({ url: "desk", newKey: "pw_x" }, "sessions");
    const noWorkflow = await remote({ url: "https://desk.example.com", newKey: "pw_x" }, "run");

    expect(without).toMatchObject({ exit: 2, out: "" });
    expect(without.err).toContain("PARKWAY_API_KEY");
    expect(clear.exit).toBe(2);
    expect(clear.err).toContain("https://");
    expect(none.exit).toBe(2);
    expect(noWorkflow.exit).toBe(2);
  });

  it("C-71 refuses a wrong key without showing it, and says so where nobody answers", async () => {
    const host = await environment();
    const refused = await remote({ url: host.url, newKey: "pw_local_none_wrong" }, "sessions");
    const silent = await remote({ url: "http://127.0.0.1:9", newKey: "pw_x" }, "sessions");

    expect(refused.exit).toBe(1);
    expect(refused.err).not.toContain("pw_local_none_wrong");
    expect(silent.exit).toBe(1);
    expect(silent.err).toContain("http://127.0.0.1:9 does not answer");
  });

  it.each([
    ["HTML", 200, { "Content-Type": "text/html" }, "<html>Sign in</html>", "answered 200 and not as the API"],
    ["a gateway's own error", 403, {}, '{"message":"Forbidden"}', "answered 403 and not as the API"],
    ["a redirection", 307, { Location: "/elsewhere" }, "", "answered 307, a redirection"],
    ["a problem without words", 500, {}, '{"code":"x"}', "answered 500 and not as the API"],
  ])("C-58 C-71 tells %s in one line and follows nowhere", async (_what, status, headers, body, says) => {
    const asked: string[] = [];
    const url = await aServer((request, response) => {
      asked.push(request.url!);
      response.writeHead(status, headers as Record<string, string>).end(body);
    });

    const ran = await remote({ url, newKey: "pw_x" }, "sessions", "--json");

    expect(ran.exit).toBe(1);
    expect(ran.err).toContain(says);
    expect(ran.err).not.toContain("    at ");
    expect(JSON.parse(ran.out)).toMatchObject({ error: { code: "endpoint-unreachable" } });
    expect(asked).toHaveLength(1);
  });

  it("C-58 C-71 an answer that breaks off, or never comes, is one line too", async () => {
    const broken = await aServer((_request, response) => {
      response.writeHead(200, { "Content-Length": "100" }).write("{");
      setImmediate(() => response.destroy());
    });
    const silent = await aServer(() => {});

    const ran = await remote({ url: broken, newKey: "pw_x" }, "sessions");
    const client = createRemoteClient(silent, { PARKWAY_API_KEY: "pw_x" }, "sessions", 20);

    expect(ran).toMatchObject({ exit: 1, out: "" });
    expect(ran.err).toContain("does not answer");
    expect(ran.err).not.toContain("    at ");
    await expect(client({ path: PATHS.sessions })).rejects.toThrow(/does not answer: no answer within 0\.02 s/);
  });

  it("C-71 S-3 sends an input again whose answer was lost, and it runs once", async () => {
    const host = await environment();
    const seen: string[] = [];
    // Takes the first answer for itself, as a network does.
    const lossy = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks).toString();
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
      const init = { method: request.method!, headers, ...(body ? { body } : {}) };
      const answer = await fetch(`${host.url}${request.url}`, init);
      const text = await answer.text();
      if (request.method === "POST") seen.push(headers["idempotency-key"]!);
      if (request.method === "POST" && seen.length === 1) return request.socket.destroy();
      response.writeHead(answer.status, { "Content-Type": answer.headers.get("content-type")! }).end(text);
    });
    const url = await listening(lossy);

    const ran = await remote(
      { url, newKey: host.newKey },
      "run",
      "hello-park",
      "hi",
      "--session",
      "t2",
      "--variables",
      VISIT,
    );
    const trail = await remote(host, "sessions", "t2", "--json");

    expect(ran.exit).toBe(0);
    expect(seen).toHaveLength(2);
    expect(seen[0]).toBe(seen[1]);
    expect(JSON.parse(trail.out)).toMatchObject({ status: "awaiting_decision" });
  });
});
