import type { Metafile } from "esbuild";

export type FunctionName = "webhook" | "api" | "trigger" | "turn" | "wake";

export const FUNCTIONS: readonly FunctionName[];

/**
 * Bundles functions into assets, a folder `<outDir>/<name>` each.
 *
 * @param options.root - the workspace: what holds workflows/ and parkway.config.ts
 */
export function buildFunctions(options: {
  root: string;
  outDir: string;
  functions?: readonly FunctionName[];
}): Promise<Record<FunctionName, { dir: string; metafile: Metafile }>>;
