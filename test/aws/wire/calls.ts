/**
 * What a request to a service asks for, in the words of IAM: who calls, which actions, on which resources. Read from the
 * request as it came over the wire, whatever client sent it.
 */
import type { IncomingHttpHeaders } from "node:http";
import { arnOf, nameFromArn } from "../arns.js";

export interface Permission {
  /** `dynamodb:PutItem`. */
  action: string;
  resource: string;
  /** Condition keys of the request, as far as the bench knows them. */
  context: Record<string, string[]>;
}

export interface Call {
  /** The function, from its access key. */
  functionName: string;
  processId: string;
  service: string;
  /** `TransactWriteItems`. */
  operation: string;
  /** Each of which has to be allowed. */
  needs: Permission[];
  input: Record<string, unknown>;
}

export interface RawRequest {
  method: string;
  /** With its query. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** @throws {Error} for a request of a service or operation that the bench does not know */
export function callFrom(request: RawRequest): Call {
  const { headers } = request;
  const scope = /Credential=([^/]+)\/\d{8}\/[^/]+\/([^/]+)\/aws4_request/.exec(String(headers.authorization));
  if (!scope) throw new Error(`An unsigned request came: ${request.method} ${request.url}`);
  const [, functionName = "", service = ""] = scope;
  const caller = { functionName, processId: String(headers["x-amz-security-token"] ?? "") };
  if (service === "s3") return { ...caller, service, input: {}, ...s3Call(request) };
  const operation = String(headers["x-amz-target"]).split(".").at(-1) ?? "";
  const input = JSON.parse(request.body.toString() || "{}") as Record<string, unknown>;
  const needs = JSON_SERVICES[service]?.(operation, input);
  if (!needs) throw new Error(`The bench does not know ${service}:${operation}.`);
  return { ...caller, service, operation, input, needs };
}

type Needs = (operation: string, input: Record<string, unknown>) => Permission[] | undefined;

const JSON_SERVICES: Record<string, Needs> = {
  dynamodb: dynamoDbNeeds,
  // Batches are allowed as what they are batches of (Service Authorization Reference).
  sqs: (operation, { QueueUrl }) => [
    need(`sqs:${operation.replace(/Batch$/, "")}`, arnOf("sqs", nameFromArn(String(QueueUrl)))),
  ],
  events: (operation, input) =>
    operation === "PutEvents" ? (input.Entries as Record<string, string>[]).map(putEventsNeed) : undefined,
  ssm: (operation, { Name, Names }) =>
    [Name ?? Names].flat().map((name) => need(`ssm:${operation}`, parameterArn(String(name)))),
  secretsmanager: (operation, { SecretId, SecretIdList }) =>
    [SecretId ?? SecretIdList]
      .flat()
      .map((id) =>
        need(operation === "BatchGetSecretValue" ? GET_SECRET : `secretsmanager:${operation}`, secretArn(id)),
      ),
};

const GET_SECRET = "secretsmanager:GetSecretValue";

function putEventsNeed({ EventBusName = "default", Source = "", DetailType = "" }: Record<string, string>): Permission {
  return need("events:PutEvents", arnOf("events", `event-bus/${nameFromArn(EventBusName)}`), {
    "events:source": [Source],
    "events:detail-type": [DetailType],
  });
}

/** Items of a transaction need what the single operation needs (DynamoDB developer guide, "IAM for transactions"). */
const TRANSACTION_ACTIONS: Record<string, string> = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
};

function dynamoDbNeeds(operation: string, input: Record<string, unknown>): Permission[] | undefined {
  if (operation === "TransactWriteItems" || operation === "TransactGetItems") {
    const items = input.TransactItems as Record<string, Record<string, unknown>>[];
    return items.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName, Key, Item }]) =>
        need(`dynamodb:${TRANSACTION_ACTIONS[kind]}`, tableArn(TableName), leadingKey(Key ?? Item)),
      ),
    );
  }
  if (operation === "BatchWriteItem" || operation === "BatchGetItem") {
    return Object.keys(input.RequestItems as object).map((table) => need(`dynamodb:${operation}`, tableArn(table)));
  }
  if (typeof input.TableName !== "string") return undefined;
  const index = input.IndexName === undefined ? "" : `/index/${input.IndexName}`;
  return [need(`dynamodb:${operation}`, `${tableArn(input.TableName)}${index}`, leadingKey(input.Key ?? input.Item))];
}

function leadingKey(key: unknown): Record<string, string[]> {
  const pk = (key as { pk?: { S?: string } } | undefined)?.pk?.S;
  return pk === undefined ? {} : { "dynamodb:LeadingKeys": [pk] };
}

/** Service authorization reference, "Actions, resources, and condition keys for Amazon S3". */
function s3Call({ method, url, body }: RawRequest): { operation: string; needs: Permission[] } {
  const { pathname, searchParams } = new URL(url, "http://s3");
  const [, bucket = "", ...rest] = pathname.split("/").map(decodeURIComponent);
  const key = rest.join("/");
  const object = arnOf("s3", `${bucket}/${key}`);
  if (key === "") {
    if (searchParams.has("delete") && method === "POST") {
      const named = [...body.toString().matchAll(/<Object>(.*?)<\/Object>/gs)].map(([, text = ""]) => ({
        key: unescapeXml(/<Key>(.*?)<\/Key>/s.exec(text)?.[1] ?? ""),
        hasVersion: text.includes("<VersionId>"),
      }));
      const needs = named.map((one) =>
        need(one.hasVersion ? "s3:DeleteObjectVersion" : "s3:DeleteObject", arnOf("s3", `${bucket}/${one.key}`)),
      );
      return { operation: "DeleteObjects", needs };
    }
    const prefix = { "s3:prefix": [searchParams.get("prefix") ?? ""] };
    if (method !== "GET") throw new Error(`The bench does not know ${method} of a bucket.`);
    return searchParams.has("versions")
      ? { operation: "ListObjectVersions", needs: [need("s3:ListBucketVersions", arnOf("s3", bucket), prefix)] }
      : { operation: "ListObjects", needs: [need("s3:ListBucket", arnOf("s3", bucket), prefix)] };
  }
  const version = searchParams.has("versionId") ? "Version" : "";
  const operations: Record<string, [string, string]> = {
    GET: ["GetObject", `s3:GetObject${version}`],
    HEAD: ["HeadObject", `s3:GetObject${version}`],
    PUT: ["PutObject", "s3:PutObject"],
    DELETE: ["DeleteObject", `s3:DeleteObject${version}`],
  };
  const [operation, action] = operations[method] ?? ["", ""];
  if (operation === "") throw new Error(`The bench does not know ${method} of an object.`);
  return { operation, needs: [need(action, object)] };
}

function need(action: string, resource: string, context: Permission["context"] = {}): Permission {
  return { action, resource, context };
}

function tableArn(name: unknown): string {
  return arnOf("dynamodb", `table/${nameFromArn(String(name))}`);
}

function parameterArn(name: string): string {
  return name.startsWith("arn:") ? name : arnOf("ssm", `parameter/${name.replace(/^\//, "")}`);
}

function secretArn(id: unknown): string {
  const text = String(id);
  return text.startsWith("arn:") ? text : arnOf("secretsmanager", `secret:${text}-AbCdEf`);
}

function unescapeXml(text: string): string {
  const entities: Record<string, string> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
}
