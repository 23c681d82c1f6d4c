/** Checking a spec that is already a value, as a host or an editor holds it (H-118). */
import { analyse, withShapeFindings } from "./analyse.js";
import type { DiagnosticCode } from "./diagnostic-codes.js";
import { DIAGNOSTIC_CODES } from "./diagnostic-codes.js";
import type { Finding } from "./diagnostics.js";
import { MAX_NESTING_LEVELS } from "./limits.js";
import { isMapping, setOwn } from "./own.js";
import type { WorkflowSpec } from "./types.js";

/** A load finding of a spec (H-118). */
export interface SpecIssue {
  code: DiagnosticCode;
  /** Dotted key path. */
  path: string;
  message: string;
}

/** The answer of `parseMachineSpec` (H-118): a spec that a machine can be made of, or every reason why not. */
export type MachineSpecResult = { ok: true; spec: WorkflowSpec } | { ok: false; issues: SpecIssue[] };

/**
 * The spec of a parsed document, or all its load findings. Never throws.
 *
 * @param raw - what a YAML or JSON parser returned; text is not parsed here, see `parseSpec`
 */
export function parseMachineSpec(raw: unknown): MachineSpecResult {
  let document: unknown;
  try {
    document = plainCopy(raw, []);
  } catch (error) {
    if (error instanceof NotPlain) return refused([error.finding]);
    return refused([{ code: "file/not-a-mapping", path: [], message: "The spec could not be read as plain data." }]);
  }
  if (!isMapping(document)) {
    const message = "The spec must be a mapping with the key `states`.";
    return refused([{ code: "file/not-a-mapping", path: [], message }]);
  }
  const states = isMapping(document.states) ? Object.keys(document.states) : [];
  const shape = withShapeFindings(document, unsafeIntegers(document, []));
  const { findings, spec } = analyse(document, shape, states);
  const load = findings.filter(({ code }) => DIAGNOSTIC_CODES[code] === "load");
  return load.length === 0 ? { ok: true, spec: spec! } : refused(load);
}

class NotPlain extends Error {
  constructor(readonly finding: Finding) {
    super(finding.message);
  }
}

function refused(findings: readonly Finding[]): MachineSpecResult {
  return {
    ok: false,
    issues: findings.map(({ code, path, message }) => ({ code, path: path.join("."), message })),
  };
}

/** Copies own enumerable data, leaving out `undefined`; a cycle shows as too deep. */
function plainCopy(value: unknown, path: readonly (string | number)[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (path.length >= MAX_NESTING_LEVELS) {
    const message = `The spec is nested deeper than ${MAX_NESTING_LEVELS} levels, or contains itself.`;
    throw new NotPlain({ code: "file/too-deep", path: path.slice(0, 3), message });
  }
  if (Array.isArray(value)) return value.map((item, index) => plainCopy(item ?? null, [...path, index]));
  const copy = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) setOwn(copy, key, plainCopy(item, [...path, key]));
  }
  return copy;
}

function unsafeIntegers(value: unknown, path: readonly (string | number)[]): Finding[] {
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) > 2 ** 53) {
    const message = `"${path.join(".")}": the integer ${value} is beyond 2^53 and may have lost digits.`;
    return [{ code: "schema/unsafe-integer", path, message }];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const inMetadata = key === "metadata" && (path.length === 0 || (path.length === 2 && path[0] === "states"));
    return inMetadata ? [] : unsafeIntegers(item, [...path, Array.isArray(value) ? Number(key) : key]);
  });
}
