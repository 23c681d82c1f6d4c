/** Where everything of the bench lies, and the names that follow from it. */
export const REGION = "eu-central-1";
export const ACCOUNT = "111122223333";

export function arnOf(service: string, resource: string): string {
  // Buckets and their objects are named without place and owner.
  return service === "s3" ? `arn:aws:s3:::${resource}` : `arn:aws:${service}:${REGION}:${ACCOUNT}:${resource}`;
}

/** The last part of an ARN or address: a function's, queue's or bus's name. */
export function nameFromArn(arn: string): string {
  return arn.split(/[:/]/).at(-1) ?? "";
}
