/** Files as the runtime sees them. */

/** A file or folder as `ls` and `glob` list it (H-82): an absolute path, and the size in bytes. */
export interface FileInfo {
  path: string;
  isDir?: boolean;
  size?: number;
  modifiedAt?: string;
}

/** A line that `grep` found (H-82); lines count from 1. */
export interface GrepMatch {
  path: string;
  line: number;
  text: string;
}

/** Why a backend did not take or give one file of several (H-82). */
export type FileError = "file_not_found" | "permission_denied" | "is_directory" | "invalid_path";

/** H-82: whatever stores or serves files. Paths are absolute POSIX, rooted in the backend; ordinary failures are `error` values. */
export interface Backend {
  ls(path: string): Promise<{ files?: FileInfo[]; error?: string }>;
  read(
    path: string,
    offset?: number,
    limit?: number,
  ): Promise<{ content?: string | Uint8Array; mimeType?: string; error?: string }>;
  readRaw(path: string): Promise<{
    data?: { content: string | Uint8Array; mimeType?: string; createdAt?: string; modifiedAt?: string };
    error?: string;
  }>;
  write(path: string, content: string): Promise<{ path?: string; error?: string }>;
  edit(
    path: string,
    oldText: string,
    newText: string,
    replaceAll?: boolean,
  ): Promise<{ path?: string; occurrences?: number; error?: string }>;
  glob(pattern: string, path?: string): Promise<{ files?: FileInfo[]; error?: string }>;
  grep(
    pattern: string,
    path?: string,
    glob?: string,
    maxCount?: number,
  ): Promise<{ matches?: GrepMatch[]; truncated?: boolean; error?: string }>;
  downloadFiles?(paths: string[]): Promise<{ path: string; content: Uint8Array | null; error: FileError | null }[]>;
  uploadFiles?(files: [path: string, content: Uint8Array][]): Promise<{ path: string; error: FileError | null }[]>;
  delete?(path: string): Promise<{ error?: string }>;
}

/**
 * H-84: one session's tree: its own area, overlaid by the mounts. `downloadFiles` and `delete` are always answered;
 * `uploadFiles` is there exactly when the session's own store has it. A path above the root throws
 * WorkspacePathEscapeError.
 */
export type Workspace = Backend & Required<Pick<Backend, "downloadFiles" | "delete">>;
