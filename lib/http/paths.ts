/** The paths of the API as templates, apart from what answers them: the gateway's payloads need them too. */

export const PATHS = {
  health: "/healthz",
  me: "/v1/me",
  workflowSessions: "/v1/workflows/{workflow}/sessions",
  sessions: "/v1/sessions",
  session: "/v1/sessions/{id}",
  sessionTurns: "/v1/sessions/{id}/turns",
  sessionDecision: "/v1/sessions/{id}/decision",
  sessionReplies: "/v1/sessions/{id}/replies",
  sessionDeliveries: "/v1/sessions/{id}/deliveries",
  sessionTrail: "/v1/sessions/{id}/trail",
  sessionVariables: "/v1/sessions/{id}/variables",
  turn: "/v1/turns/{turnId}",
  turnCancel: "/v1/turns/{turnId}/cancel",
  hookFailures: "/v1/hooks/failures",
  hookRedrive: "/v1/hooks/failures/{id}/redrive",
  hook: "/hooks/{workflow}/{trigger}",
} as const;

export type PathTemplate = (typeof PATHS)[keyof typeof PATHS];

/** A path with its parameters, each encoded as one segment (N-2). */
export function pathTo(template: PathTemplate, params: Readonly<Record<string, string>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}

/**
 * The parameters of an encoded path under a template, each decoded exactly once, here and after routing (N-2).
 *
 * @returns null where the template does not fit
 * @throws {URIError} for a segment that is no percent-encoded UTF-8
 */
export function matchPath(template: string, path: string): Record<string, string> | null {
  const wanted = template.split("/");
  const found = path.split("/");
  if (wanted.length !== found.length) return null;
  const encoded: [name: string, value: string][] = [];
  for (const [at, segment] of wanted.entries()) {
    const value = found[at] ?? "";
    if (!segment.startsWith("{")) {
      if (segment !== value) return null;
    } else {
      if (value === "") return null;
      encoded.push([segment.slice(1, -1), value]);
    }
  }
  return Object.fromEntries(encoded.map(([name, value]) => [name, decodeURIComponent(value)]));
}

/**
 * A path that arrived decoded, encoded again. Which of its slashes were encoded can only be told from where it leads:
 * the template with the most literal segments that fits, with its parameter taking all that lies between. A session id
 * that ends as a template does (`a/trail`) is therefore read as that template.
 */
export function encodedAgain(decoded: string): string {
  const fitting = TEMPLATES.find(({ pattern }) => pattern.test(decoded));
  const values = fitting?.pattern.exec(decoded)?.slice(1);
  if (fitting === undefined || values === undefined) return decoded.split("/").map(encodeWhole).join("/");
  let at = 0;
  return fitting.template.replace(/\{\w+\}/g, () => encodeWhole(values[at++] ?? ""));
}

/** Half a surrogate pair cannot be encoded, and names nothing. */
function encodeWhole(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const TEMPLATES = Object.values(PATHS)
  .map((template) => {
    const source = template.replace(/\{(\w+)\}/g, (_, name: string) => (name === "id" ? "(.+)" : "([^/]+)"));
    return { template, pattern: new RegExp(`^${source}$`, "s"), literals: literalsOf(template) };
  })
  .sort((a, b) => b.literals - a.literals);

function literalsOf(template: string): number {
  return template.split("/").filter((segment) => !segment.startsWith("{")).length;
}
