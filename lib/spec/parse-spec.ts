/** The loader of `workflow.yaml`: assembly and validation both come through here (W-22). */

import { isShapeCode, orderDiagnostics } from "./diagnostic-order.js";
import type { DocumentPath, Finding, TextFinding } from "./diagnostics.js";
import { hasLoadFinding, makeDiagnostic } from "./diagnostics.js";
import { specFromDocument, viewSpec } from "./document.js";
import { graphLint } from "./lint-graph.js";
import { rootLint, runtimeFindings } from "./lint-root.js";
import { statesLint } from "./lint-states.js";
import { variablesLint } from "./lint-variables.js";
import { documentRules } from "./rules-references.js";
import { shapeFindings } from "./shape-findings.js";
import { canonicalSpecJson, specHash } from "./spec-hash.js";
import type { Diagnostic, ParsedSpec, WorkflowSpec } from "./types.js";
import { offsetOf, readYamlText, type YamlText } from "./yaml-text.js";

export interface ParseSpecOptions {
  /** What findings name as their file, such as `workflows/refund/workflow.yaml`. */
  file?: string;
}

/**
 * Reads one `workflow.yaml`. Never throws; every finding that needs no other file is in `diagnostics`, in the order of
 * W-4, each with its position. `ok` is false exactly when one of them is a load finding.
 */
export function parseSpec(text: string, options: ParseSpecOptions = {}): ParsedSpec {
  const yaml = readYamlText(text);
  const located = (finding: TextFinding) => locatedDiagnostic(finding, yaml, options.file);
  const { document, positions, locate } = yaml;
  if (!document || !positions) return { ok: false, diagnostics: yaml.findings.map(located), locate };

  const shape = inDocumentOrder(withShapeFindings(document, yaml.findings), (path) => offsetOf(positions, path));
  const stateOrder = [...(positions.children?.get("states")?.children?.keys() ?? [])];
  const analysis = analyse(document, shape, stateOrder);
  const diagnostics = orderDiagnostics(analysis.findings.map(located), stateOrder);
  if (hasLoadFinding(diagnostics)) {
    return { ok: false, diagnostics, locate, ...(analysis.spec && { spec: analysis.spec, stateOrder }) };
  }
  return {
    ok: true,
    spec: analysis.spec!,
    stateOrder,
    specHash: specHash(document),
    specJson: canonicalSpecJson(document),
    diagnostics,
    locate,
  };
}

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

function inDocumentOrder(findings: TextFinding[], offset: (path: DocumentPath) => number): TextFinding[] {
  const at = (finding: TextFinding) => finding.offset ?? offset(finding.path);
  return findings
    .map((finding) => ({ finding, offset: at(finding) }))
    .sort((a, b) => a.offset - b.offset)
    .map(({ finding }) => finding);
}

function locatedDiagnostic(finding: TextFinding, yaml: YamlText, file: string | undefined): Diagnostic {
  const { code, path, message, hint, offset } = finding;
  const place = offset === undefined ? yaml.locate(path) : yaml.lineAndColumn(offset);
  return makeDiagnostic(code, message, { path, ...place, ...(hint !== undefined && { hint }), ...(file && { file }) });
}
