/** Model ids of the form `script:<file>` (H-133). */
const PREFIX = "script:";

export function isScriptId(id: string | undefined): boolean {
  return id?.startsWith(PREFIX) ?? false;
}

/** The file named, as written. */
export function scriptFileOf(id: string): string {
  return id.slice(PREFIX.length);
}
