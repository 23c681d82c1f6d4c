/** Backends that tests make of others. */
import type { Backend } from "../../lib/workspace/index.js";

/** What H-82 requires, and nothing else. */
export function withRequiredMethods(backend: Backend): Backend {
  const { ls, read, readRaw, write, edit, glob, grep } = backend;
  return { ls, read, readRaw, write, edit, glob, grep };
}
