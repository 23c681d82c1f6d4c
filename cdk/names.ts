/** Logical ids that no refactoring changes: CloudFormation replaces what gets another one, and its data would be gone (F-82). */
import type { CfnResource } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/**
 * Pins the logical id of what holds data, or is known outside. It is made of the id that the `Parkway` construct has, not of
 * its place in the tree, so moving the construct into another scope of its stack moves no data.
 *
 * @param owner - the `Parkway` construct; two of them in one stack have different ids
 */
export function pin(owner: IConstruct, name: string, resource: IConstruct): void {
  const cfn = (resource.node.defaultChild ?? resource) as CfnResource;
  cfn.overrideLogicalId(`${alphanumeric(owner.node.id)}${name}`);
}

/** A construct's id from a name of the configuration; what two names differ in is kept by the hash of the path. */
export function constructId(name: string): string {
  return name.replaceAll("/", "-");
}

function alphanumeric(text: string): string {
  return text.replace(/[^A-Za-z0-9]/g, "");
}
