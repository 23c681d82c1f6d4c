/** One workspace whose lists refuse the same calls everywhere, and the entrances that those calls can be made through. */

import type { ToolPaths } from "../../lib/kernel/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import type { Mocks } from "../../lib/turn/types.js";
import { type Backend, createMemoryBackend, type MountTable } from "../../lib/workspace/index.js";
import type { Bench, BenchOptions } from "../harness/agent.js";
import type { RecordedRequest, ServerReply } from "../model-server/index.js";
import { caller, workflow } from "../turn/delegating.js";
import { isGraders } from "../turn/graded.js";
import { advance, calls, ofType, says } from "../turn/support.js";

export interface DeniedCall {
  tool: string;
  args: Record<string, unknown>;
}

/** Root lists that deny; the same in every workflow that denies by itself. */
export const DENIES = `tools:
  allow_always: [read_file, write_file, ls, probe, store, inspect, never, archmax_eval, archmax_run]
  forbid_always:
    - never
    - { tool: probe, args: { target: secret } }
    - { tool: "*", paths: "secret/**" }
skills: { allow_always: [tone], forbid_always: [gone] }
mounts: { allow_always: [open], forbid_always: [shut] }`;
/** The same without any denial of its own. */
export const GRANTS = DENIES.replace(/ {2}forbid_always:\n( {4}.*\n)+/, "").replaceAll(/, forbid_always: \[\w+\]/g, "");
const HERE = "tools: { forbid: [{ tool: probe, args: { target: here } }] }";

const spec = `
${DENIES}
states:
  work:
    instructions: Work.
    triggers: { manual: }
    ${HERE}
    transitions: [{ to: check, description: by code }, { to: grade, description: by a grader }]
  check:
    type: code
    script: scripts/check.js
    ${HERE}
    transitions: [{ to: end }]
  grade:
    type: grader
    instructions: It is fine.
    ${HERE}
    transitions: [{ to: end, type: approve, description: Fine. }]
    on_error: end
  end: { instructions: End. }
`;

const child = (root: string, here = HERE) => `
settings: { model: child }
${root}
states:
  work:
    instructions: Work.
    triggers: { manual: }
    ${here}
`;

const skill = (name: string) => `---\ndescription: What ${name} is.\n---\nneedle\n`;
/** Makes the calls it is given, one after the other, whatever becomes of each. */
const CALLING = "for (const { tool, args: given } of args.made) await tools[tool]?.(given).catch(() => {});";

export const ENTRANCES = ["model", "eval", "run", "code", "grader", "child", "child's script", "heir"] as const;
export type Entrance = (typeof ENTRANCES)[number];

export interface Tried {
  /** Rule, tool and state of each refusal that was told. */
  blocked: { rule: string; tool: string; reason: string }[];
  /** Calls whose handler ran, host tools' and mocks'. */
  ran: { tool: string; target: unknown }[];
  /** Files of mounts that are not as they were. */
  changed: string[];
  requests: Bench["requests"];
  /** Types of the events that tell of calls, in order. */
  told: string[];
}

/** Makes the calls through one entrance, all in one turn. `mocks` answer in place of the tools; `extensions` are the host's. */
export async function tryCalls(
  open: (options: BenchOptions) => Promise<Bench>,
  entrance: Entrance,
  {
    made,
    mocks,
    extensions,
  }: { made: readonly DeniedCall[]; mocks?: (ran: Tried["ran"]) => Mocks; extensions?: Partial<BenchOptions> },
): Promise<Tried> {
  const ran: Tried["ran"] = [];
  const written = calls(...made.map(({ tool, args }): [string, DeniedCall["args"]] => [tool, args]));
  const evaluated = calls(["archmax_eval", { code: CALLING.replace("args.made", JSON.stringify(made)) }]);
  const first: Record<Entrance, ServerReply> = {
    model: written,
    eval: evaluated,
    run: calls(["archmax_run", { file_path: "skills/tone/scripts/call.js", args: { made } }]),
    code: advance("check"),
    grader: advance("grade"),
    child: calls(["archmax_workflow_child"]),
    "child's script": calls(["archmax_workflow_child"]),
    heir: calls(["archmax_workflow_child"]),
  };
  const isDelegated = ["child", "child's script", "heir"].includes(entrance);
  const replies: Record<string, ServerReply[]> = {
    agent: [first[entrance], says("end"), says("end")],
    grader: [written, advance("end", { reason: "It is fine." })],
    child: [entrance === "child's script" ? evaluated : written, says("end")],
  };
  const store = storage();
  const bench = await open({
    spec: isDelegated ? `${entrance === "heir" ? DENIES : GRANTS}\n${caller("child")}` : spec,
    files: {
      ...workflow("child", entrance === "heir" ? child(GRANTS, "") : child(DENIES)),
      "workflows/case/scripts/check.js": codeState(made),
    },
    workspace: { mounts: mountsOver(store) },
    tools: hostTools(ran),
    policyRules: [
      ({ args }) =>
        args.target === "host" ? { decision: "block", ruleId: "host.rule", reason: "The host says no." } : null,
    ],
    answer: (request) => replies[roleOf(request)]!.shift() ?? says("end"),
    ...extensions,
  });
  await bench.agent.accept("s1", { kind: "turn", message: "Go." });
  await bench.agent.work("s1", mocks ? { mocks: mocks(ran) } : {});
  const blocked = ofType(bench.events, "tool-blocked").map(({ rule, tool, reason }) => ({ rule, tool, reason }));
  const told = bench.events.flatMap((event) => ("callId" in event ? [event.type] : []));
  return { blocked, ran, changed: await changes(store), requests: bench.requests, told };
}

/** What the model of an agent, of a grader, or of the child is asked. */
function roleOf(request: RecordedRequest): string {
  if (isGraders(request)) return "grader";
  return request.body.model === "child" ? "child" : "agent";
}

function codeState(made: readonly DeniedCall[]): string {
  return `export default async ({ tools }) => {
  ${CALLING.replace("args.made", JSON.stringify(made))}
  await tools.archmax_advance({ to: "end", reason: "Done." });
};`;
}

function hostTools(ran: Tried["ran"]) {
  const tool = (name: string, paths?: ToolPaths) => ({
    description: name,
    inputSchema: { type: "object", properties: { target: { type: "string" } } },
    ...(paths ? { paths } : {}),
    handler: ({ target }: Record<string, unknown>) => {
      ran.push({ tool: name, target });
      return `${name} ran`;
    },
  });
  return toolsFromMap({
    probe: tool("probe"),
    store: tool("store", { target: "write" }),
    inspect: tool("inspect", { target: "read" }),
    never: tool("never"),
  });
}

const FIRST = {
  docs: { "/a.txt": "needle" },
  open: { "/a.txt": "needle" },
  ledger: { "/a.txt": "needle" },
  shut: { "/a.txt": "needle" },
  skills: {
    "/tone/SKILL.md": skill("tone"),
    "/tone/scripts/call.js": CALLING,
    "/law/SKILL.md": skill("law"),
    "/law/scripts/call.js": CALLING,
    "/gone/SKILL.md": skill("gone"),
  },
};
type Storage = Record<keyof typeof FIRST, Required<Backend>>;

function storage(): Storage {
  return Object.fromEntries(
    Object.entries(FIRST).map(([name, files]) => [name, createMemoryBackend(files as Record<string, string>)]),
  ) as Storage;
}

function mountsOver({ docs, open, ledger, shut, skills }: Storage): MountTable {
  return {
    "docs/": docs,
    "open/": { backend: open, governed: true, readOnly: false },
    "ledger/": { backend: ledger, governed: true, readOnly: false },
    "shut/": { backend: shut, readOnly: false },
    "skills/": skills,
  };
}

/** Files of the mounts that are not as they were. */
async function changes(store: Storage): Promise<string[]> {
  const changed: string[] = [];
  for (const [name, backend] of Object.entries(store)) {
    const { files = [] } = await backend.glob("**", "/");
    const first = FIRST[name as keyof Storage] as Record<string, string>;
    for (const { path } of files) {
      const { data } = await backend.readRaw(path);
      if (data?.content !== first[path]) changed.push(`${name}${path}`);
    }
    if (files.length !== Object.keys(first).length) changed.push(name);
  }
  return changed;
}
