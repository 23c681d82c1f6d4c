import { stringify } from "yaml";
import { CASE_KEYS, type CaseDocument } from "./types.js";

/**
 * A case document as YAML, its keys in the order of C-6. Parsing the text at the same place gives a deeply equal
 * document; comments of the file it came from are lost.
 */
export function serializeCaseDocument(document: CaseDocument): string {
  const ordered = Object.fromEntries(
    CASE_KEYS.filter((key) => document[key] !== undefined).map((key) => [key, document[key]]),
  );
  return stringify(ordered, { lineWidth: 0, aliasDuplicateObjects: false });
}
