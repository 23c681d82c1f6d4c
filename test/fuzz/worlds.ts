/** Random workflows over one known tree of files, and random calls: the material of the kernel's fuzz. */
import * as fc from "fast-check";
import type { GovernanceTables, ProposedCall } from "../../lib/kernel/index.js";
import { compileMachine } from "../../lib/machine/index.js";
import type { MountGrant, StateSpec, ToolEntry, WorkflowSpec } from "../../lib/spec/types.js";
import type { ModelCall, ModelWorld } from "./kernel-model.js";

/** What lies in the session's own area; each file holds a token of its own. */
export const AREA_FILES: readonly string[] = [
  "a.txt",
  "docs.txt",
  "notes/a.txt",
  "notes/b.md",
  "notes/deep/c.txt",
  "secrets/.env",
  "secrets/key.txt",
  "secretsx/a.txt",
  "scratchpad/a.txt",
  "scratchpad/x/b.md",
  "large_tool_results/call.txt",
  "conversation_history/1.md",
  "checkpoints/1.json",
  "artifacts/a.txt",
  "_specs/a.json",
  "r\u00e9.txt",
  "a\\b.txt",
  "%2e%2e/a.txt",
  "kbx/a.txt",
  "skillsx/letters/a.txt",
  ".env",
];
/** What other sessions hold, one of them below this one's id. */
export const OTHER_SESSIONS: Readonly<Record<string, string>> = {
  "s-1/inner": "a.txt",
  "s-1~1": "scratchpad/a.txt",
  "s-10": "a.txt",
  other: "notes/a.txt",
};
/** Mounts there may be, and the files of each in its own store. */
export const MOUNTS: Readonly<Record<string, { kind: "directory" | "file"; files: readonly string[] }>> = {
  docs: { kind: "directory", files: ["a.txt", "sub/b.md", "eu/hidden.txt"] },
  "docs/eu": { kind: "directory", files: ["c.txt", "x/a.txt"] },
  kb: { kind: "directory", files: ["a.txt", "secrets/k.txt"] },
  skills: {
    kind: "directory",
    files: ["letters/SKILL.md", "letters/scripts/run.js", "forms/SKILL.md", "ghost/SKILL.md"],
  },
  "AGENTS.md": { kind: "file", files: ["AGENTS.md", "private.md"] },
  "notes/pin.md": { kind: "file", files: ["notes/pin.md", "notes/other.md"] },
};

export const FILE_TOOLS = "ls read_file write_file edit_file copy_file move_file remove_file glob grep".split(" ");
const OTHER_TOOLS = [
  ..."write_todos archmax_eval archmax_run archmax_advance archmax_raise archmax_wait archmax_reset".split(" "),
  ..."archmax_get_history archmax_get_variables archmax_set_variables archmax_workflow_w task eval archmax_note".split(
    " ",
  ),
  ..."send drop upload mirror".split(" "),
];
export const ALL_TOOLS = [...FILE_TOOLS, ...OTHER_TOOLS];
const HOST_PATHS = { upload: { file: "read", to: "write" }, mirror: { folder: "search", into: "list" } } as const;

/** Names that a guard on the tool may give; for others either spelling of the one path. */
const GUARDED: Readonly<Record<string, readonly string[]>> = {
  ls: ["path", "file_path"],
  glob: ["path", "pattern", "file_path"],
  grep: ["path", "pattern"],
  copy_file: ["source", "destination"],
  move_file: ["source", "destination"],
  write_file: ["file_path", "content"],
  upload: ["file", "to"],
  mirror: ["folder", "into"],
  send: ["to", "opts.to", "count"],
  drop: ["file_path", "to"],
};

const glob = fc.constantFrom(
  ..."** * notes/* notes/** secrets/** **/*.txt *.txt docs/** docs/eu/** kb/** skills/** skills/letters/** scratchpad/**".split(
    " ",
  ),
  ..."?.txt [a-c].txt [^b].txt {a,b}.* {notes,kb}/** /notes/** //a.txt workflows/** .env **/.env @(a).txt +(a) !notes/**".split(
    " ",
  ),
  ..."${{v}}/** notes/${{n}} ${{o.p}} ${{missing}} ${{list}} ${{star}} a@* https:/** *ecrets* inner/** AGENTS.md large_tool_results/*".split(
    " ",
  ),
  "",
  "re\u0301.txt",
  "a\\\\b.txt",
  "%2e%2e/*",
  "notes/{a,deep/c}.txt",
  "**/a.txt",
  "notes/**/c.txt",
  "checkpoints/**",
  "5",
  "true",
);
const globs = fc.oneof(glob, fc.array(glob, { minLength: 1, maxLength: 3 }));

const VARIABLES = { v: "notes", n: "b.md", o: { p: "a.txt" }, list: ["notes"], star: "**", count: 5 };

function entry(options: { star: boolean }): fc.Arbitrary<ToolEntry> {
  const tool = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...FILE_TOOLS) },
    { weight: 2, arbitrary: fc.constantFrom(...ALL_TOOLS.filter((name) => options.star || name !== "task")) },
    ...(options.star ? [{ weight: 1, arbitrary: fc.constant("*") }] : []),
  );
  return tool.chain((name) =>
    fc.oneof(
      { weight: options.star ? 1 : 3, arbitrary: fc.constant<ToolEntry>(name) },
      { weight: 3, arbitrary: globs.map((paths): ToolEntry => ({ tool: name, paths })) },
      {
        weight: 2,
        arbitrary: fc
          .dictionary(fc.constantFrom(...(GUARDED[name] ?? ["file_path", "path"])), globs, { minKeys: 1, maxKeys: 2 })
          .map((args): ToolEntry => ({ tool: name, args })),
      },
    ),
  );
}

const grants = fc.array(entry({ star: false }), { maxLength: 6 });
const denials = fc.array(entry({ star: true }), { maxLength: 2 });
const slugs = fc.subarray(["letters", "forms", "ghost"]);
const mountName = fc.constantFrom(...Object.keys(MOUNTS), "kb", "docs");
const mountGrant: fc.Arbitrary<MountGrant> = fc.oneof(
  mountName,
  fc.record({ mount: mountName, access: fc.constantFrom("read", "read_write") }),
);
const mountGrants = fc.array(mountGrant, { maxLength: 4 });
const some = <T>(arbitrary: fc.Arbitrary<T>, weight = 1) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight, arbitrary });

const stateLists = fc
  .record({
    allow: some(grants, 3),
    forbid: some(denials),
    skillsAllow: some(slugs, 3),
    skillsForbid: some(slugs),
    mountsAllow: some(mountGrants, 3),
    mountsForbid: some(fc.array(mountName, { maxLength: 1 })),
  })
  .map(
    ({ allow, forbid, skillsAllow, skillsForbid, mountsAllow, mountsForbid }): StateSpec => ({
      tools: defined({ allow, forbid }),
      skills: defined({ allow: skillsAllow, forbid: skillsForbid }),
      mounts: defined({ allow: mountsAllow, forbid: mountsForbid }),
    }),
  );
const rootLists = fc
  .record({
    allow: some(grants),
    forbid: some(denials),
    skillsAllow: some(slugs),
    skillsForbid: some(slugs),
    mountsAllow: some(mountGrants, 3),
    mountsForbid: some(fc.array(mountName, { maxLength: 1 })),
  })
  .map(({ allow, forbid, skillsAllow, skillsForbid, mountsAllow, mountsForbid }) => ({
    tools: defined({ allow_always: allow, forbid_always: forbid }),
    skills: defined({ allow_always: skillsAllow, forbid_always: skillsForbid }),
    mounts: defined({ allow_always: mountsAllow, forbid_always: mountsForbid }),
  }));

function defined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

const workflow: fc.Arbitrary<WorkflowSpec> = fc
  .tuple(rootLists, fc.array(stateLists, { minLength: 5, maxLength: 5 }))
  .map(([root, [work, end, review, grade, check]]) => ({
    ...root,
    states: {
      work: { ...work, transitions: [{ to: "end" }] },
      end: { ...end },
      review: { ...review, type: "human", transitions: [{ to: "work" }] },
      grade: { ...grade, type: "grader", transitions: [{ to: "work" }] },
      check: { ...check, type: "code" },
    },
  }));

const mount = fc.record({
  there: often(true),
  readOnly: often(false),
  governed: fc.boolean(),
  searchable: often(true),
});

function often(value: boolean): fc.Arbitrary<boolean> {
  return fc.nat(3).map((dice) => (dice === 0 ? !value : value));
}

export const world: fc.Arbitrary<ModelWorld> = fc
  .record({
    workflow,
    ancestors: fc.array(workflow, { maxLength: 1 }),
    mounts: fc.array(mount, { minLength: 6, maxLength: 6 }),
    skills: fc.subarray(["letters", "forms"]),
    essential: fc.subarray(["read_file", "send", "upload", "copy_file"], { maxLength: 1 }),
    hostRefuses: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(...ALL_TOOLS) },
    ),
  })
  .map(({ mounts, ...rest }) => ({
    ...rest,
    hostPaths: HOST_PATHS,
    mounts: Object.entries(MOUNTS).flatMap(([name, { kind }], index) => {
      const { there, ...flags } = mounts[index]!;
      return there ? [{ name, kind, ...flags, searchable: kind === "file" || flags.searchable }] : [];
    }),
  }));

const known = fc.constantFrom(
  ...AREA_FILES,
  ...Object.entries(MOUNTS).flatMap(([name, { kind, files }]) =>
    kind === "file" ? files : [name, ...files.map((file) => `${name}/${file}`)],
  ),
  ..."notes scratchpad secrets skills skills/letters docs/sub inner/a.txt inner workflows/w/workflow.yaml workflows large_tool_results".split(
    " ",
  ),
  ..."notes/new.txt scratchpad/new.txt docs/new.txt docs/eu/new.txt kb/new.txt skills/letters/new.txt checkpoints artifacts".split(
    " ",
  ),
  ..."out/secret.txt out.txt out.txt kb/out/secret.txt kb/out.txt out NOTES/A.TXT a.txt/b s-10/a.txt ../s-10/a.txt notes/../../other/notes/a.txt".split(
    " ",
  ),
  "",
  "\\..\\a.txt",
  "..\\..\\other",
  "%2e%2e/%2e%2e/other",
  "\u2024\u2024/a.txt",
);
/** One of the many ways to write a path, or something that only looks like one. */
export const path: fc.Arbitrary<string> = fc
  .tuple(
    known,
    fc.constantFrom("", "", "", "/", "./", "//", "x/../", "../"),
    fc.constantFrom("/", "/", "//", "/./", "/y/../"),
    fc.constantFrom("", "", "", "/", "/.", "/..", "\0", "\u0085", "x".repeat(300)),
    fc.boolean(),
  )
  .map(([name, start, joint, end, decomposed]) =>
    (start + name.split("/").join(joint) + end).normalize(decomposed ? "NFD" : "NFC"),
  );

const pathValue = fc.oneof(
  { weight: 12, arbitrary: path },
  { weight: 2, arbitrary: fc.array(path, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(5, null, true, {}, [[]], ["a.txt", 5]) },
);
const plain = fc.oneof(
  fc.constantFrom<unknown>(
    "a@b.c",
    "https://x/../y",
    "https://x/secrets",
    "notes/a.txt",
    "../a.txt",
    "**",
    "",
    5,
    true,
    null,
    {},
    [],
  ),
  fc.constant(["a@b.c", "notes"]),
);

function argsOf(tool: string, one: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const text = fc.constantFrom("needle", "token", "x");
  if (["ls", "glob", "grep"].includes(tool)) {
    return fc.record(
      {
        path: one,
        file_path: one,
        pattern: tool === "glob" ? searchGlob : text,
        glob: tool === "grep" ? searchGlob : text,
      },
      { requiredKeys: tool === "ls" ? [] : ["pattern"] },
    );
  }
  if (tool === "copy_file" || tool === "move_file") {
    return fc.record(
      { source: one, destination: one, overwrite: fc.boolean() },
      { requiredKeys: ["source", "destination"] },
    );
  }
  if (tool === "upload") return fc.record({ file: one, to: one }, { requiredKeys: [] });
  if (tool === "mirror") return fc.record({ folder: one, into: one }, { requiredKeys: [] });
  if (tool === "send")
    return fc.record({ to: plain, opts: fc.record({ to: plain }), count: plain }, { requiredKeys: [] });
  if (tool === "drop") return fc.record({ file_path: fc.oneof(path, plain), to: plain }, { requiredKeys: [] });
  return fc
    .record({
      content: fc.constant("token-new needle"),
      old_string: text,
      new_string: fc.constant("needle "),
      key: fc.constantFrom("file_path", "file_path", "path"),
      value: one,
      given: fc.boolean(),
    })
    .map(({ key, value, given, ...rest }) => ({
      ...rest,
      ...(given || FILE_TOOLS.includes(tool) ? { [key]: value } : {}),
    }));
}

/** Patterns of searches, some of which try to climb. */
const searchGlob = fc.constantFrom(
  "**",
  "*",
  "**/*.txt",
  "**/*.md",
  "notes/*",
  "../**",
  "/**",
  "**/../*",
  "../../other/**",
  "docs/**",
  "?.txt",
  "{a,b}.*",
  "../s-10/*",
);

const origin = fc.constantFrom("agent", "agent", "script", "grader");
const STATE_NAMES = ["work", "work", "end", "review", "grade", "check"];

export const anyCall: fc.Arbitrary<ModelCall> = callOf(
  fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...FILE_TOOLS) },
    { weight: 1, arbitrary: fc.constantFrom(...ALL_TOOLS) },
  ),
  pathValue,
);
/** Calls of the file tools with plain paths, by one state. */
export const fileCall: fc.Arbitrary<ModelCall> = callOf(fc.constantFrom(...FILE_TOOLS), path);

function callOf(tool: fc.Arbitrary<string>, one: fc.Arbitrary<unknown>): fc.Arbitrary<ModelCall> {
  return tool.chain((name) =>
    fc.record({
      tool: fc.constant(name),
      args: argsOf(name, one),
      state: fc.constantFrom(...STATE_NAMES),
      origin,
      replyOnly: fc.nat(19).map((dice) => dice === 0),
      variables: fc.constant(VARIABLES),
    }),
  );
}

/** The same world as the kernel is told of it. */
export function asKernel(world: ModelWorld) {
  const compiled = (spec: WorkflowSpec, name: string) =>
    compileMachine({ spec, stateOrder: Object.keys(spec.states), specHash: "hash" }, name);
  const tables: GovernanceTables = {
    mounts: world.mounts,
    skills: world.skills,
    toolPaths: HOST_PATHS,
    essentialTools: world.essential,
    hostTools: ["send", "drop", "upload", "mirror"],
    inherited: world.ancestors.map((spec, index) => ({
      workflow: `caller-${index}`,
      machine: compiled(spec, "caller"),
    })),
    policyRules: [
      ({ tool }) => (tool === world.hostRefuses ? { decision: "block", ruleId: "host.refuses", reason: "No." } : null),
    ],
  };
  return { machine: compiled(world.workflow, "w"), tables };
}

export function asProposed(call: ModelCall): ProposedCall {
  return { ...call, args: { ...call.args }, origin: call.origin as ProposedCall["origin"] };
}
