/** What the file tools share: how one is made, how failures and sizes are worded, what is at a path. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import { BUILTIN_PATHS } from "../kernel/index.js";
import { fileErrorFromText, treePath, type Workspace } from "../workspace/index.js";
import { parametersOf, parseArguments } from "./arguments.js";
import type { Reconciled, RuntimeTool, ToolContext, ToolEffect } from "./types.js";

export interface FileToolParts<S extends z.ZodObject> {
  name: string;
  description: string;
  schema: S;
  effect: ToolEffect;
  run(args: z.output<S>, context: ToolContext): Promise<string>;
  /** Facts before the call, as plain JSON, and what they tell after a crash (S-42). */
  before?(args: z.output<S>, context: ToolContext): Promise<unknown>;
  reconcile?(args: z.output<S>, context: ToolContext, before: unknown): Promise<Reconciled>;
}

/**
 * A file tool of its parts. `path` and `file_path` are read for each other when the declared one is missing.
 * A FileToolFailure thrown by a part is the answer `Error: …`.
 */
export function fileTool<S extends z.ZodObject>(parts: FileToolParts<S>): RuntimeTool {
  const { name, description, schema, effect, before, reconcile } = parts;
  const typed = (args: Record<string, unknown>): z.output<S> => schema.parse(args);
  return {
    name,
    description,
    effect,
    parameters: parametersOf(schema),
    paths: BUILTIN_PATHS[name],
    parse: (args) => parseArguments(schema, withDeclaredSpelling(name, args)),
    run: (args, context) => answering(() => parts.run(typed(args), context)),
    ...(before ? { before: (args, context) => before(typed(args), context) } : {}),
    ...(reconcile ? { reconcile: (args, context, facts) => reconcile(typed(args), context, facts) } : {}),
  };
}

/** An ordinary failure; its message is the sentence after `Error: `. */
export class FileToolFailure extends Error {}

/** The path as answers show it: canonical, with the leading slash. */
export function shownPath(path: string): string {
  const canonical = treePath(path);
  return "path" in canonical ? canonical.path : path;
}

/** `12 B`, `1.5 KB`, `3.2 MB`. */
export function shownSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${rounded(bytes / 1024)} KB`;
  return `${rounded(bytes / (1024 * 1024))} MB`;
}

export type Found =
  | { kind: "file"; bytes: Uint8Array }
  | { kind: "missing" }
  | { kind: "folder" }
  /** It cannot be said, or its exact bytes cannot be had. */
  | { kind: "unreadable" };

/** What is at a path. */
export async function find(workspace: Workspace, path: string): Promise<Found> {
  const [file] = await workspace.downloadFiles([path]);
  if (file?.content) return { kind: "file", bytes: file.content };
  if (file?.error === "is_directory") return { kind: "folder" };
  if (file?.error !== "file_not_found") return { kind: "unreadable" };
  return { kind: (await isFolder(workspace, path)) ? "folder" : "missing" };
}

/** The bytes of the file, or the failure that says why there are none. */
export async function mustFind(workspace: Workspace, path: string): Promise<Uint8Array> {
  const found = await find(workspace, path);
  if (found.kind === "file") return found.bytes;
  throw failureFor(path, found.kind);
}

export function failureFor(path: string, kind: Exclude<Found["kind"], "file">): FileToolFailure {
  const shown = shownPath(path);
  if (kind === "folder") return new FileToolFailure(`${shown} is a folder, not a file.`);
  if (kind === "missing") return new FileToolFailure(`There is no file ${shown}.`);
  return new FileToolFailure(`The exact content of ${shown} cannot be read from its store.`);
}

/** The failure of a store's own `error` text, in our words: the text may name places outside the workspace. */
export function failureFrom(error: string, path: string, doing: string): FileToolFailure {
  const shown = shownPath(path);
  const kind = fileErrorFromText(error);
  if (kind === "file_not_found") return new FileToolFailure(`There is no file ${shown}.`);
  if (kind === "is_directory") return new FileToolFailure(`${shown} is a folder, not a file.`);
  if (kind === "permission_denied")
    return new FileToolFailure(`${shown} cannot be ${doing}: its store does not allow it.`);
  return new FileToolFailure(`${shown} cannot be ${doing}.`);
}

export async function isFolder(workspace: Workspace, path: string): Promise<boolean> {
  const { files = [] } = await workspace.ls(path);
  return files.some((file) => shownPath(file.path) !== shownPath(path));
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Whether a line at the path may be shown. */
export function isVisible(context: ToolContext, tool: string, path: string): boolean {
  return context.visible?.(tool, shownPath(path).slice(1)) ?? true;
}

async function answering(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileToolFailure) return `Error: ${error.message}`;
    throw error;
  }
}

function withDeclaredSpelling(tool: string, args: Record<string, unknown>): Record<string, unknown> {
  const declared = Object.keys(BUILTIN_PATHS[tool] ?? {});
  if (declared.length !== 1) return args;
  const name = declared[0]!;
  const other = name === "path" ? "file_path" : "path";
  return args[name] == null && args[other] != null ? { ...args, [name]: args[other] } : args;
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10);
}
