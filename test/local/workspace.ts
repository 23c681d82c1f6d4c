/** The examples as a workspace of a deployment, with a scripted model, and a workflow that answers events. */
import { cpSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ParkwayConfig } from "../../lib/config/index.js";
import { temporaryFolder, writeTree } from "../harness/temporary.js";

const EXAMPLES = fileURLToPath(new URL("../fixtures/examples/hello-park", import.meta.url));

/** Answers in any process alike: waits two minutes, then goes on. */
export const SCRIPT = `replies:
  - when: { parked: true }
    text: I am waiting for the barrier.
  - when: { state: cool-down, call: 1 }
    text: The barrier is cooling down.
    toolCalls:
      - { name: archmax_wait, args: { reason: barrier cooling down, until: "\${{minutes}}m" } }
  - when: { state: cool-down, step: 1 }
    toolCalls:
      - { name: archmax_advance, args: { to: resumed, reason: The pause is over. } }
`;

const ECHO = `title: Echo
runtime: { engine: archmax-harness, version: "3" }
states:
  note:
    type: code
    script: scripts/note.js
    triggers:
      told: { message: false }
`;

const NOTE = `export default async function ({ tools }) {
  await tools.archmax_set_variables({ variables: { noted: true } });
}
`;

export const SCRIPTED = { ARCHMAX_MODEL: "script:script.yaml" };

/** A folder of a test's own, gone after it. */
export function aWorkspace(files: Record<string, string> = {}): { rootDir: string; remove(): void } {
  const { dir, remove } = temporaryFolder();
  cpSync(EXAMPLES, dir, { recursive: true });
  writeTree(dir, {
    "script.yaml": SCRIPT,
    "workflows/echo/workflow.yaml": ECHO,
    "workflows/echo/scripts/note.js": NOTE,
    ...files,
  });
  return { rootDir: dir, remove };
}

/** An event rule that fires `echo` for a lifecycle event of ours. */
export function onLifecycle(type: string, workflow: string): NonNullable<ParkwayConfig["events"]>[string] {
  return {
    workflow: "echo",
    trigger: "told",
    pattern: { source: ["parkway"], "detail-type": [type], detail: { workflow: [workflow] } },
    variables: { cause: "detail.sessionId" },
  };
}
