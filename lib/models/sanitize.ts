/** Provider errors without what must not be stored (F-101): query strings, authorization, key material. */

const REMOVED = "[removed]";
/** Provider messages can quote a whole request; what helps stands at their start. */
const MAX_LENGTH = 1_000;

/** The text of an error, safe to store and show. `secrets` are configured values that are cut out wherever they stand. */
export function sanitizeErrorText(text: string, secrets: readonly string[] = []): string {
  let safe = text.replace(/\s*Troubleshooting URL: \S+\s*$/, "");
  for (const secret of secrets) if (secret.length >= 4) safe = safe.replaceAll(secret, REMOVED);
  for (const [pattern, replacement] of RULES) safe = safe.replace(pattern, replacement);
  return safe.length > MAX_LENGTH ? `${safe.slice(0, MAX_LENGTH)}…` : safe;
}

const RULES: [RegExp, string][] = [
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@"'<>]*@/gi, "$1"],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>)\]]*)[?#][^\s"'<>)\]]*?(?=[.,:;]?(?:[\s"'<>)\]]|$))/gi, "$1"],
  [/\b(bearer|basic)\s+[\w.~+/=*-]{4,}/gi, `$1 ${REMOVED}`],
  [
    /\b((?:x-)?api[-_ ]?key|authorization|(?:access|refresh|auth|session)[-_]?token|client[-_]?secret|secret|password)(["']?\s*[:=]\s*["']?)(?!bearer|basic|\[removed)[^\s"',;}]+/gi,
    `$1$2${REMOVED}`,
  ],
  [/\b(?:sk|pk|rk|key|gsk|xai)-[\w*.-]{6,}/g, REMOVED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/g, REMOVED],
  [/\beyJ[\w-]{6,}\.[\w-]+\.?[\w-]*/g, REMOVED],
];
