import { describe, expect, it } from "vitest";
import { createFilesystemBackend, createMemoryBackend, type MountTable } from "../../lib/workspace/index.js";
import type { Backend } from "../../lib/workspace/types.js";
import { advance, benches, blocks, calls, ofType, results, says, system } from "./support.js";

const open = benches();

/** A small team's places: one for all, one that only reads, one to write, one to browse. */
function places() {
  const store = {
    handbook: createMemoryBackend({ "/rules.md": "needle: be exact" }),
    ledger: createMemoryBackend({ "/2026.csv": "needle,12" }),
    outbox: createMemoryBackend({ "/sent.txt": "needle" }),
    catalog: createMemoryBackend({ "/eu/a.txt": "needle" }),
    note: createMemoryBackend({ "/NOTE.md": "needle of the note" }),
  };
  const mounts: MountTable = {
    "/handbook/": store.handbook,
    "/ledger/": { backend: store.ledger, governed: true },
    "/outbox/": { backend: store.outbox, governed: true, readOnly: false },
    "/catalog/": { backend: store.catalog, searchable: false },
    "/NOTE.md": store.note,
    "/drop/": { backend: createMemoryBackend(), readOnly: false },
  };
  return { store, mounts };
}

const textOf = async (backend: Backend, path: string) => (await backend.readRaw(path)).data?.content;

const oneState = (lists: string, root = "") => `
${root}
states:
  work:
    instructions: Work.
    triggers: { manual: }
    ${lists}
`;

async function run(spec: string, made: Parameters<typeof calls>, mounts: MountTable = places().mounts) {
  const bench = await open({ spec, workspace: { mounts }, replies: [calls(...made), says("end")] });
  const outcome = await bench.agent.workflow.send("s1", { message: "go" });
  return { bench, outcome, answered: results(outcome) };
}

describe("mounts of a host", () => {
  it("H-93 H-94 R-228 W-236 are served over the session's own files, read-only unless the host says otherwise", async () => {
    const { store, mounts } = places();
    const { answered } = await run(
      oneState("tools: { allow: [ls, read_file, write_file] }"),
      [
        ["read_file", { file_path: "handbook/rules.md" }],
        ["write_file", { file_path: "handbook/rules.md", content: "x" }],
        ["write_file", { file_path: "drop/a/b.txt", content: "kept" }],
        ["ls"],
      ],
      mounts,
    );

    expect(answered.map(({ refusal }) => refusal)).toEqual([undefined, "blocked:zone.read-only", undefined, undefined]);
    expect(answered[3]?.text.split("\n")).toEqual(["/NOTE.md", "/catalog/", "/drop/", "/handbook/"]);
    expect(answered[0]?.text).toContain("be exact");
    expect(await textOf(store.handbook, "/rules.md")).toBe("needle: be exact");
    expect(await textOf((mounts["/drop/"] as { backend: Backend }).backend, "/a/b.txt")).toBe("kept");
  });

  it("R-222 H-93 a file mount is that file alone", async () => {
    const { answered } = await run(oneState("tools: { allow: [read_file] }"), [
      ["read_file", { file_path: "NOTE.md" }],
      ["read_file", { file_path: "NOTE.md.bak" }],
    ]);

    expect(answered[0]?.text).toContain("needle of the note");
    expect(answered[1]?.text).toMatch(/^Error: /);
  });

  it("H-98 R-221 a governed one is closed where no list grants it, and says nothing of itself", async () => {
    const { answered, bench } = await run(oneState(""), [
      ["read_file", { file_path: "ledger/2026.csv" }],
      ["ls"],
      ["ls", { path: "ledger" }],
      ["grep", { pattern: "needle" }],
      ["glob", { pattern: "**/*.csv" }],
    ]);

    expect(answered.map(({ refusal }) => refusal)).toEqual([
      "blocked:mount.not-allowed",
      undefined,
      "blocked:mount.not-allowed",
      undefined,
      undefined,
    ]);
    for (const at of [1, 3, 4]) expect(answered[at]?.text).not.toMatch(/ledger|2026/);
    expect(system(bench.requests[0])).not.toContain("ledger");
  });

  it("H-98 R-221 W-234 a governed one is written under read_write alone, and never where the host only reads", async () => {
    const { store, mounts } = places();
    const { answered } = await run(
      oneState(
        `mounts: { allow: [{ mount: ledger, access: read_write }, { mount: outbox, access: read_write }] }
    tools: { allow: [read_file, write_file] }`,
      ),
      [
        ["write_file", { file_path: "outbox/new.txt", content: "out" }],
        ["write_file", { file_path: "ledger/2026.csv", content: "0" }],
        ["read_file", { file_path: "ledger/2026.csv" }],
      ],
      mounts,
    );

    expect(answered.map(({ refusal }) => refusal)).toEqual([undefined, "blocked:zone.read-only", undefined]);
    expect(await textOf(store.outbox, "/new.txt")).toBe("out");
    expect(await textOf(store.ledger, "/2026.csv")).toBe("needle,12");
  });

  it.each([
    ["a bare grant", "[outbox]", "[]"],
    ["a root that reads", "[{ mount: outbox, access: read_write }]", "[{ mount: outbox, access: read }]"],
  ])("H-98 R-221 %s opens a writable one for reading", async (_what, own, always) => {
    const { store, mounts } = places();
    const { answered } = await run(
      oneState(
        `mounts: { allow: ${own} }\n    tools: { allow: [read_file, write_file] }`,
        `mounts: { allow_always: ${always} }`,
      ),
      [
        ["read_file", { file_path: "outbox/sent.txt" }],
        ["write_file", { file_path: "outbox/sent.txt", content: "x" }],
      ],
      mounts,
    );

    expect(answered.map(({ refusal }) => refusal)).toEqual([undefined, "blocked:mount.read-only"]);
    expect(await textOf(store.outbox, "/sent.txt")).toBe("needle");
  });

  it("R-221 W-233 an ungoverned one is reachable unless denied", async () => {
    const { answered } = await run(oneState("mounts: { forbid: [handbook] }"), [
      ["read_file", { file_path: "handbook/rules.md" }],
      ["ls"],
    ]);

    expect(answered[0]?.refusal).toBe("blocked:mount.forbidden");
    expect(answered[1]?.text).not.toContain("handbook");
  });

  it("R-224 H-99 a search enters one that is not searchable only when addressed there", async () => {
    const { answered, bench } = await run(oneState(""), [
      ["grep", { pattern: "needle" }],
      ["grep", { pattern: "needle", path: "catalog" }],
      ["read_file", { file_path: "catalog/eu/a.txt" }],
    ]);

    expect(answered[0]?.text).not.toContain("catalog");
    expect(answered[0]?.text).toContain("/handbook/rules.md:1:");
    expect(answered[1]?.text).toBe("/catalog/eu/a.txt:1:needle");
    expect(answered[2]?.text).toContain("needle");
    expect(system(bench.requests[0])).toContain("`catalog/` (read-only, browse only)");
  });

  it("W-263 W-264 W-236 the prompt names the ungoverned ones always, a governed one where it is reachable", async () => {
    const bench = await open({
      spec: `
states:
  work:
    instructions: Work.
    triggers: { manual: }
    transitions: [{ to: send }]
  send:
    instructions: Send.
    mounts: { allow: [{ mount: outbox, access: read_write }, ledger] }
`,
      workspace: { mounts: places().mounts },
      replies: [advance("send"), says("end")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });
    const [first, second] = bench.requests.map(blocks);

    expect(first?.fixed).toContain("`handbook/` (read-only)");
    expect(first?.fixed).toContain("`drop/` (read/write)");
    expect(first?.fixed).not.toMatch(/outbox|ledger/);
    expect(first?.volatile).not.toMatch(/### Mounts here/);
    expect(second?.volatile).toContain("### Mounts here\n\n- `ledger/` (read-only)\n- `outbox/` (read/write)");
    expect(second?.fixed).toBe(first?.fixed);
  });

  it("R-230 W-250 a code state's calls meet the same walls", async () => {
    const { store, mounts } = places();
    const bench = await open({
      spec: `
states:
  work:
    type: code
    script: scripts/w.js
    triggers: { manual: }
    tools: { allow: [write_file, read_file] }
`,
      files: {
        "workflows/case/scripts/w.js": `export default async ({ tools }) => {
          for (const path of ["handbook/rules.md", "ledger/2026.csv", "workflows/case/workflow.yaml"]) {
            try { await tools.write_file({ file_path: path, content: "x" }); console.log("wrote"); }
            catch (error) { console.log(error.ruleId); }
          } }`,
      },
      workspace: { mounts },
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(ofType(bench.events, "code-output").map(({ line }) => line)).toEqual([
      "zone.read-only",
      "zone.read-only",
      "zone.governance-plane",
    ]);
    expect(await textOf(store.handbook, "/rules.md")).toBe("needle: be exact");
  });

  it("H-95 replace the default table, so that nothing authored is served that the host does not serve", async () => {
    const bench = await open({
      spec: oneState("skills: { allow: [tone] }"),
      files: { "AGENTS.md": "I am Ada.", "skills/tone/SKILL.md": "---\ndescription: d\n---\n" },
      workspace: { mounts: {} },
      replies: [calls(["ls"]), says("end")],
    });
    const outcome = await bench.agent.workflow.send("s1", { message: "go" });

    expect(results(outcome)[0]?.text).toBe("/ is empty.");
    expect(system(bench.requests[0])).not.toMatch(/Ada|tone/);
  });

  it("H-17 W-256 W-257 AGENTS.md and the platform's prompt come from the mounts, wherever those lie", async () => {
    const bench = await open({
      spec: oneState(""),
      files: { "AGENTS.md": "I am Ada." },
      systemPrompt: "The house's own.",
      workspace: {
        mounts: {
          "/AGENTS.md": createMemoryBackend({ "/AGENTS.md": "I am Bo." }),
          "/.platform/": createMemoryBackend({ "/system/GRAPH_STATE.md": "The platform's own." }),
        },
      },
      replies: [says("end")],
    });
    await bench.agent.workflow.send("s1", { message: "go" });

    expect(system(bench.requests[0])).toMatch(
      /^I am Bo\.\n\nThe house's own\.\n\nThe platform's own\.\n\n## Workspace/,
    );
    expect(system(bench.requests[0])).not.toContain(".platform");
  });

  it("H-91 R-2 no session's id begins with the name of one", async () => {
    const { bench } = await run(oneState(""), []);

    await expect(bench.agent.workflow.send("ledger/7", { message: "go" })).rejects.toMatchObject({
      name: "SessionStoreIdError",
    });
    await expect(bench.agent.workflow.send("skills/7", { message: "go" })).resolves.toMatchObject({
      kind: "completed",
    });
  });

  it("H-93 R-231 a folder of the host's is one, and its place on the disk is told to nobody", async () => {
    const bench = await open({ spec: oneState(""), replies: [] });
    const folder = `${bench.rootDir}/skills`;
    const { answered } = await run(oneState(""), [["read_file", { file_path: "docs/none.md" }]], {
      "/docs/": createFilesystemBackend(folder),
    });

    expect(answered[0]?.text).toMatch(/^Error: .*\/docs\/none\.md/);
    expect(answered[0]?.text).not.toContain(bench.rootDir);
  });

  it("R-231 H-82 a store that throws is an ordinary failure, whose words are told to the host alone", async () => {
    const broken = {
      ...createMemoryBackend({ "/a.txt": "x" }),
      readRaw: async () => Promise.reject(new Error("https://bucket.internal/?key=secret")),
      write: () => {
        throw new TypeError("/srv/kb is gone");
      },
      downloadFiles: async () => Promise.reject(new Error("secret")),
      grep: async () => Promise.reject(new Error("secret")),
    };
    const { answered, bench, outcome } = await run(
      oneState("tools: { allow: [read_file, write_file, grep, copy_file] }"),
      [
        ["read_file", { file_path: "kb/a.txt" }],
        ["write_file", { file_path: "kb/b.txt", content: "x" }],
        ["grep", { pattern: "x" }],
        ["copy_file", { source: "kb/a.txt", destination: "scratchpad/a.txt" }],
      ],
      { "/kb/": { backend: broken, readOnly: false } },
    );

    expect(outcome.kind).toBe("completed");
    for (const { text, status } of answered) {
      expect(text).toMatch(/^Error: /);
      expect(text).not.toMatch(/secret|bucket|srv/);
      expect(status).toBe("success");
    }
    const told = ofType(bench.events, "warning").filter(({ scope }) => scope === "mounts");
    expect(told[0]).toMatchObject({ sessionId: "s1", message: expect.stringMatching(/^The store of the mount "kb" /) });
    for (const words of ["key=secret", "/srv/kb is gone"]) {
      expect(told.map(({ message }) => message).join()).toContain(words);
    }
  });

  it("H-9 fails assembly as its store fails, since the agent would be another one without its files", async () => {
    const broken = { ...createMemoryBackend(), readRaw: async () => Promise.reject(new Error("the store is down")) };

    await expect(
      open({ spec: oneState(""), workspace: { mounts: { "/AGENTS.md": broken } }, replies: [] }),
    ).rejects.toThrow("the store is down");
  });

  it("H-84 one of a backend with the required methods alone is read, listed, searched and copied from", async () => {
    const { downloadFiles: _d, uploadFiles: _u, delete: _r, ...required } = createMemoryBackend({ "/a.txt": "needle" });
    const { answered } = await run(
      oneState("tools: { allow: [ls, read_file, grep, copy_file] }"),
      [
        ["ls", { path: "kb" }],
        ["grep", { pattern: "needle" }],
        ["copy_file", { source: "kb/a.txt", destination: "scratchpad/a.txt" }],
      ],
      { "/kb/": required },
    );

    expect(answered.map(({ text }) => text)).toEqual([
      "/kb/a.txt",
      "/kb/a.txt:1:needle",
      expect.stringMatching(/^Copied /),
    ]);
  });
});
