/**
 * Fuzz of the file tools over real stores: what the kernel permits is run, and a model of the tree says what may have been
 * read, listed, found and changed by it. Nothing outside the session's area and its granted mounts ever is.
 */
import * as fc from "fast-check";
import { expect } from "vitest";
import { judgeCall, visibilityFilter } from "../../lib/kernel/index.js";
import { createFileTools } from "../../lib/tools/index.js";
import { type Contents, diskWorld, type FileWorld, firstContents, memoryWorld } from "./file-world.js";
import { modelGlob, modelMatches } from "./glob-model.js";
import {
  isMountReachable,
  isMountWritable,
  type ModelCall,
  type ModelWorld,
  modelVisible,
  mountAt,
} from "./kernel-model.js";
import { Counts, type FuzzRun, parametersOf } from "./run.js";
import { asKernel, asProposed, fileCall, OTHER_SESSIONS, world } from "./worlds.js";

const TOOLS = new Map(createFileTools().map((tool) => [tool.name, tool]));

export async function fuzzFiles(run: FuzzRun): Promise<Counts> {
  const counts = new Counts("files", [
    "worlds",
    "on disk",
    "calls",
    "refused",
    "run",
    "answered with a failure",
    "leaks",
  ]);
  await fc.assert(
    fc.asyncProperty(
      world,
      fc.array(fileCall, { minLength: 5, maxLength: 14 }),
      fc.nat(3),
      async (made, calls, dice) => {
        counts.add("worlds");
        if (dice === 0) counts.add("on disk");
        const opened = await (dice === 0 ? diskWorld : memoryWorld)(made);
        try {
          let before = firstContents(made);
          for (const call of calls) before = await oneCall({ made, opened, before, counts }, call);
        } catch (error) {
          counts.add("leaks");
          throw error;
        } finally {
          opened.dispose();
        }
      },
    ),
    parametersOf(run),
  );
  return counts;
}

interface Scene {
  made: ModelWorld;
  opened: FileWorld;
  before: Contents;
  counts: Counts;
}

async function oneCall({ made, opened, before, counts }: Scene, call: ModelCall): Promise<Contents> {
  counts.add("calls");
  const { machine, tables } = asKernel(made);
  const verdict = judgeCall(machine, tables, asProposed(call));
  if (verdict.decision === "block") {
    counts.add("refused");
    return before;
  }
  const parsed = TOOLS.get(call.tool)!.parse(verdict.args);
  if (!parsed.ok) return before;
  const { state, tool, variables } = call;
  const isShown = visibilityFilter(machine, tables, { state, tool, variables, args: verdict.args });
  const answer = await TOOLS.get(tool)!.run(parsed.args, {
    sessionId: "s-1",
    workspace: opened.workspace,
    signal: new AbortController().signal,
    idempotencyKey: "key",
    attempt: 1,
    caller: call.origin === "script" ? "script" : "model",
    visible: (_tool, path) => isShown(path),
  });
  counts.add("run");
  if (answer.startsWith("Error: ")) counts.add("answered with a failure");

  const asked = `${JSON.stringify({ ...call, variables: undefined })} answered ${JSON.stringify(answer)}`;
  const args = parsed.args as Record<string, string>;
  const tree = new Tree(made, before, opened.onDisk);
  expectNoLeak(answer, { made, call, args, tree, asked });
  const after = await opened.snapshot();
  expect(sorted(after), asked).toEqual(sorted(tree.changed(call, args, answer)));
  return after;
}

/** What the answer may hold: the tokens of the file it was asked for, and lines of places that the state may see. */
function expectNoLeak(
  answer: string,
  {
    made,
    call,
    args,
    tree,
    asked,
  }: { made: ModelWorld; call: ModelCall; args: Record<string, string>; tree: Tree; asked: string },
): void {
  const tokens = new Set(answer.match(/token-\w+\./g) ?? []);
  const { tool } = call;
  if (tool === "read_file") {
    const content = tree.at(args.file_path!);
    for (const token of tokens) expect(content, asked).toContain(token);
    if (content !== undefined && !tree.isBelowLink(args.file_path!))
      expect(answer, asked).not.toMatch(/^Error: There is no/);
    return;
  }
  if (!["ls", "glob", "grep"].includes(tool)) {
    expect([...tokens], asked).toEqual([]);
    return;
  }
  if (answer.startsWith("Error: ")) return;
  const searched = { ...call, args };
  const base = (args.path ?? "").replace(/^\//, "");
  const seen = tree.paths().filter((path) => isBelow(path, base) && modelVisible(made, searched, path));
  const lines = answer.split("\n").filter((line) => line.startsWith("/") && !/ is empty\.$/.test(line));
  if (tool === "ls") {
    const files = seen.filter((path) => !path.slice(base === "" ? 0 : base.length + 1).includes("/") && path !== base);
    expect(
      lines.filter((line) => !line.endsWith("/")),
      asked,
    ).toEqual(files.map((path) => `/${path}`).sort());
    for (const line of lines) expect(modelVisible(made, searched, line.replace(/^\/|\/$/g, "")), asked).toBe(true);
    return;
  }
  const found = seen.filter((path) => tree.isSearched(path, base));
  const relative = (path: string) => (base === "" ? path : path.slice(base.length + 1));
  if (tool === "glob") {
    const pattern = modelGlob(args.pattern!.replace(/^\/+/, ""));
    const matching = found.filter((path) => modelMatches(pattern, relative(path)));
    expect(lines, asked).toEqual(matching.map((path) => `/${path}`).sort());
    return;
  }
  const accepted = found.filter((path) => {
    if (args.glob === undefined) return true;
    const pattern = modelGlob(args.glob.replace(/^\/+/, ""));
    const name = path.slice(path.lastIndexOf("/") + 1);
    return modelMatches(pattern, args.glob.includes("/") ? relative(path) || name : name);
  });
  const holding = accepted.filter((path) => tree.at(path)!.includes(args.pattern!));
  expect([...new Set(lines.map((line) => line.replace(/:\d+:.*$/, "")))], asked).toEqual(
    holding.map((path) => `/${path}`).sort(),
  );
}

/** The session's tree as a plain mapping: its area, overlaid by the mounts. */
class Tree {
  constructor(
    private readonly world: ModelWorld,
    private readonly contents: Contents,
    private readonly onDisk: boolean,
  ) {}

  address(path: string): string {
    const mount = mountAt(this.world, path);
    if (mount === null) return `area:${path}`;
    return `mount ${mount.name}:${mount.kind === "file" ? path : path.slice(mount.name.length + 1)}`;
  }

  at(path: string): string | undefined {
    return this.contents.get(this.address(path.replace(/^\//, "")));
  }

  /** Every path that the workspace serves. */
  paths(): string[] {
    return [...this.contents.keys()].flatMap((address) => {
      const [, store = "", path = ""] = /^(.*?):(.*)$/s.exec(address)!;
      const mount = this.world.mounts.find(({ name }) => store === `mount ${name}`);
      const outer = mount?.kind === "directory" ? `${mount.name}/${path}` : path;
      return (store === "area" || mount) && this.address(outer) === address ? [outer] : [];
    });
  }

  /** */
  isSearched(path: string, base: string): boolean {
    const mount = mountAt(this.world, path);
    return mount === null || mount.searchable || isBelow(base, mount.name);
  }

  /** Where a link on disk, or another session's area, begins. */
  isBelowLink(path: string): boolean {
    const links = this.onDisk ? ["area:out", "area:out.txt", "mount kb:out", "mount kb:out.txt"] : [];
    return ["area:inner", ...links].some((link) => isBelow(this.address(path.replace(/^\//, "")), link));
  }

  /** The contents after a call that was answered so. */
  changed({ tool, state }: ModelCall, args: Record<string, string>, answer: string): Contents {
    const after = new Map(this.contents);
    if (answer.startsWith("Error: ") || ["ls", "read_file", "glob", "grep"].includes(tool)) return after;
    const { file_path = "", source = "", destination = "", content = "", old_string = "", new_string = "" } = args;
    const target = tool === "copy_file" || tool === "move_file" ? destination : file_path;
    for (const path of tool === "move_file" ? [source, destination] : [target]) {
      expect(this.mayWrite(path, state), `${tool} wrote ${path}`).toBe(true);
      expect(this.isBelowLink(path), `${tool} wrote ${path}`).toBe(false);
    }
    if (tool === "write_file") after.set(this.address(target), content);
    if (tool === "edit_file") after.set(this.address(target), this.at(target)!.split(old_string).join(new_string));
    if (tool === "copy_file" || tool === "move_file") after.set(this.address(target), this.at(source)!);
    if (tool === "move_file") after.delete(this.address(source));
    if (tool === "remove_file") after.delete(this.address(file_path));
    return after;
  }

  private mayWrite(path: string, state: string): boolean {
    const area = path.split("/")[0]!;
    const mount = mountAt(this.world, path);
    const spec = this.world.workflow.states[state]!;
    if (mount !== null) return isMountReachable(this.world, spec, mount) && isMountWritable(this.world, spec, mount);
    const kept = "checkpoints artifacts _specs large_tool_results conversation_history".split(" ");
    return (
      !kept.includes(area) && path !== "" && !Object.keys(OTHER_SESSIONS).some((id) => path.startsWith(`../${id}`))
    );
  }
}

function isBelow(path: string, folder: string): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

function sorted(contents: Contents): [string, string][] {
  return [...contents].sort(([a], [b]) => (a < b ? -1 : 1));
}
