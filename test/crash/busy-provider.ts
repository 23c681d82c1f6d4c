/** A provider of models that asks everybody to come back later, once for each of their calls. */
import { readFileSync } from "node:fs";
import { parseModelScript, replyChooser, type ScriptView } from "../../lib/models/index.js";
import { fromScript, type RecordedRequest, type ServerReply, startModelServer, viewOf } from "../model-server/index.js";
import { isGraders } from "../turn/graded.js";

/** Longer than an invocation of `SHORT_MS`, shorter than the pause after which a session is looked at again. */
const WAIT_SECONDS = 120;
export const SHORT_MS = 60_000;

const servers = new Map<string, Promise<string>>();

/**
 * Settings of a model whose answers are those of the script. One server answers all runs of the process, and tells them
 * apart by their key.
 */
export async function busyProvider(script: string, run: string): Promise<Record<string, string>> {
  const url = servers.get(script) ?? start(script);
  servers.set(script, url);
  return { ARCHMAX_API_BASE_URL: await url, ARCHMAX_API_KEY: run, ARCHMAX_MODEL: "busy" };
}

async function start(script: string): Promise<string> {
  const choose = replyChooser(parseModelScript(readFileSync(script, "utf8"), script));
  const seen = new Set<string>();
  const { url } = await startModelServer({
    unref: true,
    handler(request): ServerReply {
      const call = callOf(request);
      if (seen.has(call)) return fromScript(choose(shown(request)));
      seen.add(call);
      return { status: 429, headers: { "Retry-After": String(WAIT_SECONDS) } };
    },
  });
  return url;
}

/** A script tells the roles apart, HTTP does not. */
function shown(request: RecordedRequest): ScriptView {
  return { ...viewOf(request.body), role: isGraders(request) ? "grader" : "agent" };
}

/** The same for every attempt: neither a system text nor a grader's task, which state the time, is part of it. */
function callOf(request: RecordedRequest): string {
  const { headers, body } = request;
  const told = isGraders(request) ? "" : body.messages.at(-1)?.content;
  return JSON.stringify([headers.authorization, isGraders(request), body.messages.length, told]);
}
