/** What a credential may be for (N-37). */
export const SCOPES = [
  "workflows:read",
  "workflows:read:graph",
  "sessions:start",
  "sessions:send",
  "sessions:deliver",
  "sessions:decide",
  "sessions:decide:any",
  "sessions:read",
  "sessions:read:variables",
  "sessions:read:tools",
  "sessions:delete",
  "artifacts:read",
  "hooks:read",
  "hooks:redrive",
] as const;

export type Scope = (typeof SCOPES)[number];

export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
