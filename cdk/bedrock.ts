/** What the turn function may do where its models are Bedrock's (`ARCHMAX_PROVIDER=bedrock`). */
import { Stack, Token } from "aws-cdk-lib";
import { type IRole, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { accept } from "./nag.js";

/**
 * Calls of any model that the account has access to: workflows name models of their own, and an inference profile calls the
 * models of several regions.
 */
export function grantBedrock(role: IRole & Parameters<typeof accept>[0]): void {
  const { partition, account } = Stack.of(role);
  const resources = [
    `arn:${partition}:bedrock:*::foundation-model/*`,
    `arn:${partition}:bedrock:*:${account}:inference-profile/*`,
    `arn:${partition}:bedrock:*:${account}:application-inference-profile/*`,
  ];
  role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"], resources }),
  );
  for (const resource of resources) {
    const shown = named(named(resource, partition, "Partition"), account, "AccountId");
    accept(role, `IAM5[Resource::${shown}]`, "Workflows name the models they use; the account says which there are.");
  }
}

/** The resource as findings show it: what the deployment fills in stands there by its name. */
function named(resource: string, part: string, name: string): string {
  return Token.isUnresolved(part) ? resource.replace(part, `<AWS::${name}>`) : resource;
}
