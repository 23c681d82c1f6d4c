/** Every rule about a spec that has been read, from text or as a value. */
import { isShapeCode } from "./diagnostic-order.js";
import type { Finding, TextFinding } from "./diagnostics.js";
import { specFromDocument, viewSpec } from "./document.js";
import { graphLint } from "./lint-graph.js";
import { rootLint, runtimeFindings } from "./lint-root.js";
import { statesLint } from "./lint-states.js";
import { variablesLint } from "./lint-variables.js";
import { documentRules } from "./rules-references.js";
import { shapeFindings } from "./shape-findings.js";
import type { WorkflowSpec } from "./types.js";

/** Everything the document itself shows: with a shape defect only that and the runtime block, else all passes. */
export function analyse(
  document: Record<string, unknown>,
  shape: readonly Finding[],
  stateOrder: readonly string[],
): { findings: Finding[]; spec?: WorkflowSpec } {
  if (shape.some(({ code }) => isShapeCode(code))) {
    return { findings: [...shape, ...runtimeFindings(document)] };
  }
  const spec = specFromDocument(document);
  const view = viewSpec(spec, stateOrder, document.disabled);
  const findings = [
    ...documentRules(view),
    ...rootLint(view),
    ...graphLint(view),
    ...variablesLint(view),
    ...runtimeFindings(document),
    ...statesLint(view),
  ];
  return { findings, spec };
}

/** Shape findings after those of the reader; an integer that lost digits needs no second finding. */
export function withShapeFindings(document: Record<string, unknown>, read: readonly TextFinding[]): TextFinding[] {
  const readPaths = new Set(read.map(({ path }) => JSON.stringify(path)));
  return [...read, ...shapeFindings(document).filter(({ path }) => !readPaths.has(JSON.stringify(path)))];
}
