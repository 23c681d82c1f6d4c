/** `copy_file`, `move_file` and `remove_file` (R-241…R-244, H-85), reconciled by hashes (S-42). */
import { z } from "zod";
import { sameBytes, storeBytes } from "../workspace/index.js";
import {
  FileToolFailure,
  failureFor,
  failureFrom,
  fileTool,
  find,
  mustFind,
  sha256,
  shownPath,
  shownSize,
} from "./file-tool.js";
import type { Reconciled, RuntimeTool, ToolContext } from "./types.js";

const transferSchema = z.object({
  source: z.string().min(1, "must name a file").describe("Path of the file as it is."),
  destination: z.string().min(1, "must name a file").describe("Path of the file to be."),
  overwrite: z.boolean().default(false).describe("Replace the destination if it exists."),
});
type Transfer = z.output<typeof transferSchema>;

const removeSchema = z.object({ file_path: z.string().min(1, "must name a file").describe("Path of the file.") });

/** Hashes before a transfer; null: no readable file there. */
interface Before {
  source: string | null;
  destination: string | null;
  sizeBytes: number;
}

export function copyFile(): RuntimeTool {
  return fileTool({
    name: "copy_file",
    description: "Copies one file, byte for byte. An existing destination is kept unless `overwrite` is true.",
    schema: transferSchema,
    effect: "reconciled",
    async run(transfer, context) {
      const bytes = await copy(transfer, context);
      return transferred("Copied", transfer, bytes.length);
    },
    before: hashesBefore,
    async reconcile(transfer, context, before) {
      const told = await whatHappened(transfer, context, before as Before);
      return told.kind === "copied" ? transferDone("Copied", transfer, before as Before) : told;
    },
  });
}

export function moveFile(): RuntimeTool {
  return fileTool({
    name: "move_file",
    description:
      "Moves or renames one file. An existing destination is kept, and nothing moves, unless `overwrite` is true.",
    schema: transferSchema,
    effect: "reconciled",
    async run(transfer, context) {
      const bytes = await copy(transfer, context);
      await removeMoved(transfer, context);
      return transferred("Moved", transfer, bytes.length);
    },
    before: hashesBefore,
    async reconcile(transfer, context, before) {
      const told = await whatHappened(transfer, context, before as Before);
      if (told.kind !== "copied") return told;
      // Copied and not yet removed: what is missing may be done now, it is the same call.
      try {
        if ((await find(context.workspace, transfer.source)).kind !== "missing") await removeMoved(transfer, context);
      } catch (error) {
        if (error instanceof FileToolFailure) return { kind: "done", result: `Error: ${error.message}` };
        throw error;
      }
      return transferDone("Moved", transfer, before as Before);
    },
  });
}

export function removeFile(): RuntimeTool {
  return fileTool({
    name: "remove_file",
    description: "Removes one file for good. It does not remove folders.",
    schema: removeSchema,
    effect: "reconciled",
    async run({ file_path }, { workspace }) {
      const found = await find(workspace, file_path);
      if (found.kind === "folder" || found.kind === "missing") throw failureFor(file_path, found.kind);
      const { error } = await workspace.delete(file_path);
      if (error !== undefined) throw failureFrom(error, file_path, "removed");
      return removed(file_path, found.kind === "file" ? found.bytes.length : null);
    },
    async before({ file_path }, { workspace }) {
      const found = await find(workspace, file_path);
      return found.kind === "file" ? { file: sha256(found.bytes), sizeBytes: found.bytes.length } : { file: null };
    },
    async reconcile({ file_path }, { workspace }, before): Promise<Reconciled> {
      const { file, sizeBytes } = before as { file: string | null; sizeBytes?: number };
      const now = await find(workspace, file_path);
      if (now.kind === "missing") {
        return file === null ? { kind: "not-done" } : { kind: "done", result: removed(file_path, sizeBytes ?? null) };
      }
      const unchanged = now.kind === "file" ? sha256(now.bytes) === file : file === null;
      return { kind: unchanged ? "not-done" : "unknown" };
    },
  });
}

/** Copies, reads the copy back and compares (H-85). Throws before anything is written where the call cannot be done. */
async function copy({ source, destination, overwrite }: Transfer, { workspace }: ToolContext): Promise<Uint8Array> {
  if (shownPath(source) === shownPath(destination)) {
    throw new FileToolFailure(`Source and destination are the same file, ${shownPath(source)}.`);
  }
  const bytes = await mustFind(workspace, source);
  const there = await find(workspace, destination);
  if (there.kind === "folder") throw failureFor(destination, "folder");
  if (there.kind !== "missing" && !overwrite) {
    throw new FileToolFailure(`${shownPath(destination)} exists; set \`overwrite\` to replace it.`);
  }
  const error = await storeBytes(workspace, destination, bytes);
  if (error !== null) throw failureFrom(error, destination, "written");
  const stored = await find(workspace, destination);
  if (stored.kind !== "file" || !sameBytes(stored.bytes, bytes)) {
    throw new FileToolFailure(
      `The store of ${shownPath(destination)} did not keep the exact bytes of ${shownPath(source)}.`,
    );
  }
  return bytes;
}

async function removeMoved({ source, destination }: Transfer, { workspace }: ToolContext): Promise<void> {
  const { error } = await workspace.delete(source);
  if (error === undefined) return;
  throw new FileToolFailure(
    `${shownPath(source)} was copied to ${shownPath(destination)} but could not be removed; both are there now.`,
  );
}

async function hashesBefore({ source, destination }: Transfer, { workspace }: ToolContext): Promise<Before> {
  const [from, to] = [await find(workspace, source), await find(workspace, destination)];
  return {
    source: from.kind === "file" ? sha256(from.bytes) : null,
    destination: to.kind === "file" ? sha256(to.bytes) : null,
    sizeBytes: from.kind === "file" ? from.bytes.length : 0,
  };
}

/**
 * Whether the destination holds the source's bytes because of this call. A call that could only be refused, and one
 * whose destination held the same bytes already, has changed nothing that a second run would not change alike.
 */
async function whatHappened(
  transfer: Transfer,
  { workspace }: ToolContext,
  before: Before,
): Promise<{ kind: "copied" } | { kind: "not-done" } | { kind: "unknown" }> {
  const refused = before.source === null || (before.destination !== null && !transfer.overwrite);
  if (refused || shownPath(transfer.source) === shownPath(transfer.destination)) return { kind: "not-done" };
  const [from, to] = [await find(workspace, transfer.source), await find(workspace, transfer.destination)];
  const source = from.kind === "file" ? sha256(from.bytes) : null;
  const destination = to.kind === "file" ? sha256(to.bytes) : null;
  if (destination === before.source && (before.destination !== before.source || source === null)) {
    return { kind: source === null || source === before.source ? "copied" : "unknown" };
  }
  return { kind: destination === before.destination && source === before.source ? "not-done" : "unknown" };
}

function transferDone(verb: "Copied" | "Moved", transfer: Transfer, before: Before): Reconciled {
  return { kind: "done", result: transferred(verb, transfer, before.sizeBytes) };
}

function transferred(verb: "Copied" | "Moved", { source, destination }: Transfer, sizeBytes: number): string {
  return `${verb} ${shownPath(source)} to ${shownPath(destination)} (${shownSize(sizeBytes)}).`;
}

function removed(path: string, sizeBytes: number | null): string {
  return `Removed ${shownPath(path)}${sizeBytes === null ? "" : ` (${shownSize(sizeBytes)})`}.`;
}
