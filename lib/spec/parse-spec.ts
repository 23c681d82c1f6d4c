/** The loader of `workflow.yaml`: assembly and validation both come through here (W-22). */

import { analyse, withShapeFindings } from "./analyse.js";
import { orderDiagnostics } from "./diagnostic-order.js";
import type { DocumentPath, TextFinding } from "./diagnostics.js";
import { hasLoadFinding, makeDiagnostic } from "./diagnostics.js";
import { canonicalSpecJson, specHash } from "./spec-hash.js";
import type { Diagnostic, ParsedSpec } from "./types.js";
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
