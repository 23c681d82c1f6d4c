/** References to secrets, `ssm:<name>` and `secret:<arn or name>[#jsonKey]`, and the statements that let a function read them (H-126). */
import { Arn, ArnFormat, type Stack } from "aws-cdk-lib";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import { secretKind } from "../lib/config/index.js";

/** Whether a function can resolve it; `env:` means something on one's own machine only. */
export function isReference(text: string): boolean {
  const kind = secretKind(text);
  return kind === "ssm" || kind === "secret";
}

/**
 * Exactly the parameters and secrets that are named. A key of one's own that they are encrypted with is granted by whoever
 * has it.
 */
export function referenceStatements(stack: Stack, references: readonly string[]): PolicyStatement[] {
  const named = (kind: "ssm" | "secret") =>
    references.filter((text) => secretKind(text) === kind).map((text) => text.slice(`${kind}:`.length));
  return [
    ...statementFor(
      "ssm:GetParameter",
      named("ssm").map((name) => parameterArn(stack, name)),
    ),
    ...statementFor(
      "secretsmanager:GetSecretValue",
      named("secret").flatMap((id) => secretArns(stack, id)),
    ),
  ];
}

function statementFor(action: string, resources: string[]): PolicyStatement[] {
  return resources.length > 0 ? [new PolicyStatement({ actions: [action], resources: [...new Set(resources)] })] : [];
}

/** A parameter's ARN has one slash after `parameter`, whether its name begins with one or not. */
function parameterArn(stack: Stack, name: string): string {
  const resourceName = name.replace(/^\//, "");
  return Arn.format(
    { service: "ssm", resource: "parameter", resourceName, arnFormat: ArnFormat.SLASH_RESOURCE_NAME },
    stack,
  );
}

/**
 * Of a secret's ARN or name. Secrets Manager ends an ARN with a dash and six characters, which belong to no name and cannot
 * be told from one: an ARN is taken with and without them.
 */
function secretArns(stack: Stack, reference: string): string[] {
  const [id = ""] = reference.split("#");
  if (id.startsWith("arn:")) return [id, `${id}-??????`];
  const secret = { service: "secretsmanager", resource: "secret", resourceName: `${id}-??????` };
  return [Arn.format({ ...secret, arnFormat: ArnFormat.COLON_RESOURCE_NAME }, stack)];
}
