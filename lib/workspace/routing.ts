/** Which store serves a path of the workspace, and under which path there. */
import { WorkspacePathEscapeError } from "../session/errors.js";
import { FileProblem } from "./errors.js";
import type { Mount } from "./mounts.js";
import { isWithin, joinPath, relativeTo, treePath } from "./paths.js";
import type { Backend } from "./types.js";

export interface Place {
  /** Canonical path in the workspace. */
  path: string;
  /** Null: the session's own area. */
  mount: Mount | null;
  backend: Backend;
  /** The path in the backend. */
  inner: string;
}

export interface Routes {
  /** In order of routing: longest path first. */
  mounts: readonly Mount[];
  /** Throws WorkspacePathEscapeError, and FileProblem for a path with a control character. */
  placeOf(path: string): Place;
}

/** Areas of the runtime that no listing or search shows. */
export const HIDDEN_AREAS = ["/checkpoints", "/artifacts", "/_specs"];

export function createRoutes(area: Backend, mounts: readonly Mount[]): Routes {
  return {
    mounts,
    placeOf(given) {
      const canonical = treePath(given);
      if ("problem" in canonical) {
        if (canonical.problem === "escapes") throw new WorkspacePathEscapeError(given);
        throw new FileProblem("invalid_path", "a path holds no control characters");
      }
      const { path } = canonical;
      const mount = mounts.find((candidate) =>
        candidate.kind === "file" ? path === candidate.path : isWithin(path, candidate.path),
      );
      if (!mount) return { path, mount: null, backend: area, inner: path };
      const inner = mount.kind === "file" ? path : `/${relativeTo(path, mount.path)}`;
      return { path, mount, backend: mount.backend, inner };
    },
  };
}

/** The workspace path of something a store named. */
export function outerPath(mount: Mount | null, inner: string): string {
  const absolute = inner.startsWith("/") ? inner : `/${inner}`;
  if (mount === null || mount.kind === "file") return absolute;
  return absolute === "/" ? mount.path : joinPath(mount.path, absolute.slice(1));
}

/** Throws the refusal of a write or removal that no store may see. */
export function refuseReadOnly(place: Place): void {
  if (!place.mount?.readOnly) return;
  throw new FileProblem("permission_denied", `${place.path} lies in a read-only mount`);
}
