/**
 * What moto cannot do, with the error it shows. Nothing here can go stale unseen: a case that is listed and does not fail
 * so is an error, the server refuses a type that moto knows, and a mend of what moto does by now.
 */

export interface KnownLimit {
  /** The case's full name, as the runner reports it. */
  name: string;
  /** Its failure's name and message match this. */
  error: RegExp;
  why: string;
}

export const KNOWN_LIMITS: readonly KnownLimit[] = [
  {
    name: "DynamoDB session store contract: dynamodb accepting S-12 refuses one arrival more than an inbox holds, without a receipt",
    error: /^TestTimeoutError: Test timed out in 60000ms\./,
    why: "moto copies the whole table for each item of a transaction, so filling an inbox takes minutes",
  },
  ...unset("the table is encrypted with the stack's key", /^AssertionError: expected 'undefined' to contain/),
  ...unset("the table forgets what has expired", /^AssertionError: expected undefined to be 'ttl'/),
  ...unset("the bucket lets nobody make anything public", /^NoSuchPublicAccessBlockConfiguration: /),
  ...unset("the bucket has one owner of all objects", /^OwnershipControlsNotFoundError: /),
  ...unset("the bucket gives up uploads that were not completed", /^NoSuchLifecycleConfiguration: /),
  ...unset(
    "functions are of the processor of the template",
    /^AssertionError: expected \[ 'x86_64' \] to deeply equal/,
  ),
  ...["webhook", "api", "trigger", "turn"].map((name) => ({
    name: `what the roles allow ${name} may use session-items dynamodb:ConditionCheckItem`,
    error: /^Error: dynamodb:ConditionCheckItem was refused\./,
    why: "moto asks for an action dynamodb:TransactWriteItems, which the service does not have: it asks for those of the items",
  })),
];

/** A setting of the template that moto's CloudFormation does not take. */
function unset(name: string, error: RegExp): KnownLimit[] {
  return [
    {
      name: `what cdk deploy makes ${name}`,
      error,
      why: "moto's CloudFormation leaves this setting of the template out",
    },
  ];
}

/**
 * "Tried to parse <type> but it's not supported by moto's CloudFormation implementation": such a resource is given a name in
 * its stack, so that others can refer to it, and is nowhere else. The secret is made, for its readers.
 */
export const UNKNOWN_TYPES: readonly string[] = [
  "AWS::ApiGatewayV2::Api",
  "AWS::ApiGatewayV2::Integration",
  "AWS::ApiGatewayV2::Route",
  "AWS::ApiGatewayV2::Stage",
  "AWS::CDK::Metadata",
  "AWS::CloudWatch::Alarm",
  "AWS::Lambda::EventInvokeConfig",
  "AWS::S3::BucketPolicy",
  "AWS::SQS::QueuePolicy",
  "AWS::SecretsManager::Secret",
];

/** What `mends.py` mends, for without it a deployment cannot be looked at or a role's calls are all refused. */
export const MENDED: readonly string[] = [
  "Ref of an AWS::Events::EventBus is no text: TypeError: Object of type EventBus is not JSON serializable",
  "Calls of DynamoDB, EventBridge and Secrets Manager are judged without their resource: AccessDeniedException for every statement that names one",
  "A condition on dynamodb:LeadingKeys is not known: AccessDeniedException for every call of its statement",
];
