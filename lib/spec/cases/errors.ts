import type { CaseProblem } from "./types.js";

/** A case document that cannot be used (C-8). The message has one line for each problem, with file and place. */
export class CaseSchemaError extends Error {
  readonly code = "case-schema";

  constructor(
    readonly file: string,
    readonly problems: readonly CaseProblem[],
  ) {
    super(problems.map((problem) => describe(file, problem)).join("\n"));
    this.name = "CaseSchemaError";
  }
}

/** `steps[2].reply.includes[0]`; empty for the document itself. */
export function placeOf(path: readonly (string | number)[]): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
}

function describe(file: string, { path, message, line, column }: CaseProblem): string {
  const position = line === undefined ? file : `${file}:${line}:${column}`;
  return path.length === 0 ? `${position}: ${message}` : `${position}: ${placeOf(path)}: ${message}`;
}
