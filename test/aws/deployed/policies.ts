/** What the roles of a template allow, and whether they allow a call. */
import type { Call, Permission } from "../wire/calls.js";
import type { Template } from "./template.js";

export interface Statement {
  effect: "Allow" | "Deny";
  actions: string[];
  resources: string[];
  conditions: Record<string, Record<string, unknown>>;
}

export function statementsOf(template: Template, functionId: string): Statement[] {
  return statementsOfRole(template, String(template.resource(functionId).properties.Role));
}

/** Statements in the role itself and in policies that name it. */
export function statementsOfRole(template: Template, role: string): Statement[] {
  const roles = template.resources("AWS::IAM::Role").filter(({ id }) => role.endsWith(`:role/${id}`));
  const inline = roles.flatMap(({ properties }) => (properties.Policies ?? []) as { PolicyDocument: unknown }[]);
  const attached = template
    .resources("AWS::IAM::Policy")
    .filter(({ properties }) => (properties.Roles as string[]).some((name) => role.endsWith(`:role/${name}`)))
    .map(({ properties }) => ({ PolicyDocument: properties.PolicyDocument }));
  return [...inline, ...attached].flatMap(({ PolicyDocument }) =>
    (PolicyDocument as { Statement: Record<string, unknown>[] }).Statement.map(statementFrom),
  );
}

/** Requests that the role of their function does not allow. */
export function deniedCalls(template: Template, calls: readonly Pick<Call, "functionName" | "needs">[]): string[] {
  const roles = new Map<string, Statement[]>();
  const denied = calls.flatMap(({ functionName, needs }) => {
    const statements = roles.get(functionName) ?? statementsOf(template, functionName);
    roles.set(functionName, statements);
    return needs
      .filter((need) => !allows(statements, need))
      .map(({ action, resource }) => `${functionName} may not ${action} on ${resource}`);
  });
  return [...new Set(denied)];
}

/** Pairs of an action and a resource that a function's role allows and that no request of it needed. */
export function unusedPermissions(
  template: Template,
  functionName: string,
  calls: readonly Pick<Call, "functionName" | "needs">[],
): { action: string; resource: string }[] {
  const needs = calls.filter((call) => call.functionName === functionName).flatMap((call) => call.needs);
  const pairs = statementsOf(template, functionName)
    .filter(({ effect }) => effect === "Allow")
    .flatMap(({ actions, resources }) =>
      actions.flatMap((action) => resources.map((resource) => ({ action, resource }))),
    );
  return pairs.filter(
    ({ action, resource }) => !needs.some((need) => isLike(need.action, action) && isLike(need.resource, resource)),
  );
}

/** Conditions on keys that the bench does not know are not met by anything. */
export function allows(statements: readonly Statement[], need: Permission): boolean {
  const matching = statements.filter((statement) => applies(statement, need));
  return matching.some(({ effect }) => effect === "Allow") && matching.every(({ effect }) => effect === "Allow");
}

export function applies({ actions, resources, conditions }: Statement, need: Permission): boolean {
  return (
    actions.some((action) => isLike(need.action.toLowerCase(), action.toLowerCase())) &&
    resources.some((resource) => isLike(need.resource, resource)) &&
    Object.entries(conditions).every(([operator, keys]) =>
      Object.entries(keys).every(([key, wanted]) => isMet(operator, need.context[key], [wanted].flat().map(String))),
    )
  );
}

function isMet(operator: string, found: readonly string[] | undefined, wanted: string[]): boolean {
  const [name, ...qualifiers] = operator.split(":").reverse();
  if (found === undefined) return false;
  const compare = /^(StringLike|ArnLike|ArnEquals)$/.test(name ?? "")
    ? isLike
    : (text: string, other: string) => text === other;
  if (!/^(StringEquals|StringLike|ArnLike|ArnEquals)$/.test(name ?? "")) return false;
  const fits = (text: string) => wanted.some((pattern) => compare(text, pattern));
  return qualifiers.includes("ForAllValues") ? found.every(fits) : found.some(fits);
}

/** `*` and `?` as IAM knows them. */
export function isLike(text: string, pattern: string): boolean {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
}

function statementFrom({
  Effect,
  Action,
  Resource,
  Condition,
  NotAction,
  NotResource,
}: Record<string, unknown>): Statement {
  if (NotAction !== undefined || NotResource !== undefined)
    throw new Error("The bench reads no NotAction, no NotResource.");
  return {
    effect: Effect as Statement["effect"],
    actions: [Action].flat().map(String),
    resources: [Resource].flat().map(String),
    conditions: (Condition ?? {}) as Statement["conditions"],
  };
}
