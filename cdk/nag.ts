/** Findings of cdk-nag's AwsSolutions pack that are meant. Each stands where it arises; any other fails the synthesis. */
import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * @param rule - such as `S1`, or `IAM5[Resource::…]` for one of several findings
 * @param reason - why it is right here, for whoever audits the stack
 */
export function accept(construct: IConstruct, rule: string, reason: string): void {
  Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
}
