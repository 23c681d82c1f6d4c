/** A synthesized template, with its references resolved to the names that the bench gives to resources. */
import { ACCOUNT, arnOf, REGION } from "../arns.js";

export interface Resource {
  id: string;
  type: string;
  properties: Record<string, unknown>;
}

export interface Template {
  /** With every reference resolved. */
  resources(type: string): Resource[];
  resource(id: string): Resource;
  /** Of a value that may hold references. */
  resolve(value: unknown): unknown;
}

interface RawTemplate {
  Resources: Record<string, { Type: string; Properties?: Record<string, unknown>; Condition?: string }>;
  Parameters?: Record<string, { Default?: unknown }>;
  Mappings?: Record<string, unknown>;
}

/** @param place - where queues are spoken to, which stands in their addresses, and a mark that makes names unique */
export function openTemplate(
  raw: object,
  place: { queueEndpoint: string; mark: string; stackName?: string },
): Template {
  const { Resources, Parameters = {} } = raw as RawTemplate;
  const pseudo: Record<string, unknown> = {
    "AWS::Region": REGION,
    "AWS::AccountId": ACCOUNT,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
    "AWS::StackName": place.stackName ?? "Parkway-bench",
    "AWS::StackId": arnOf("cloudformation", "stack/Parkway-bench/1"),
    "AWS::NoValue": undefined,
  };

  function typeOf(id: string): string {
    const found = Resources[id];
    if (!found) throw new Error(`The template refers to ${id}, which is not in it.`);
    return found.Type;
  }

  /** As the service would name it. */
  function nameOf(id: string): string {
    const properties = Resources[id]?.Properties ?? {};
    const type = typeOf(id);
    if (type === "AWS::Events::EventBus") return String(resolve(properties.Name));
    if (type === "AWS::S3::Bucket") return `${id}-${place.mark}`.toLowerCase();
    if (type === "AWS::DynamoDB::Table") return `${id}-${place.mark}`;
    if (type === "AWS::SecretsManager::Secret") return `${id}-AbCdEf`;
    return id;
  }

  function arn(id: string): string {
    const prefix = ARN_PREFIXES[typeOf(id)];
    if (!prefix) throw new Error(`The bench knows no ARN of ${typeOf(id)} (${id}).`);
    const [service, kind] = prefix;
    const text = arnOf(service, `${kind}${nameOf(id)}`);
    return service === "iam" ? text.replace(`:${REGION}:`, "::") : text;
  }

  function reference(name: string): unknown {
    if (Object.hasOwn(pseudo, name)) return pseudo[name];
    if (Object.hasOwn(Parameters, name)) return Parameters[name]?.Default;
    const type = typeOf(name);
    if (type === "AWS::SQS::Queue") return `${place.queueEndpoint}/${ACCOUNT}/${nameOf(name)}`;
    if (type === "AWS::SecretsManager::Secret") return arn(name);
    return nameOf(name);
  }

  function attribute(id: string, name: string): unknown {
    if (name === "Arn") return typeOf(id) === "AWS::Logs::LogGroup" ? `${arn(id)}:*` : arn(id);
    if (name === "QueueName" || name === "Name") return nameOf(id);
    if (name === "QueueUrl") return reference(id);
    return `${id}.${name}`;
  }

  function substitute(text: string, names: Record<string, unknown> = {}): string {
    return text.replace(/\$\{([^}]+)\}/g, (_whole, name: string) => {
      if (name.startsWith("!")) return `\${${name.slice(1)}}`;
      if (Object.hasOwn(names, name)) return String(resolve(names[name]));
      const [id = "", ...rest] = name.split(".");
      return String(rest.length > 0 ? attribute(id, rest.join(".")) : reference(name));
    });
  }

  const functions: Record<string, (argument: never) => unknown> = {
    Ref: (name: string) => reference(name),
    "Fn::GetAtt": (path: string | [string, string]) => {
      const [id = "", ...rest] = typeof path === "string" ? path.split(".") : path;
      return attribute(id, rest.join("."));
    },
    "Fn::Join": ([separator, parts]: [string, unknown[]]) => (resolve(parts) as unknown[]).join(separator),
    "Fn::Sub": (given: string | [string, Record<string, unknown>]) =>
      typeof given === "string" ? substitute(given) : substitute(...given),
    "Fn::Select": ([index, list]: [number | string, unknown]) => (resolve(list) as unknown[])[Number(index)],
    "Fn::Split": ([separator, text]: [string, unknown]) => String(resolve(text)).split(separator),
  };

  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve).filter((one) => one !== undefined);
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value);
    const [[name, argument] = ["", undefined]] = entries;
    if (entries.length === 1 && (name === "Ref" || name.startsWith("Fn::"))) {
      const run = functions[name];
      if (!run) throw new Error(`The bench does not know ${name}.`);
      return run(argument as never);
    }
    return Object.fromEntries(entries.map(([key, member]) => [key, resolve(member)]));
  }

  function resource(id: string): Resource {
    return { id, type: typeOf(id), properties: resolve(Resources[id]?.Properties ?? {}) as Record<string, unknown> };
  }

  return {
    resources: (type) =>
      Object.keys(Resources)
        .filter((id) => Resources[id]?.Type === type)
        .map(resource),
    resource,
    resolve,
  };
}

const ARN_PREFIXES: Record<string, [service: string, kind: string]> = {
  "AWS::Lambda::Function": ["lambda", "function:"],
  "AWS::DynamoDB::Table": ["dynamodb", "table/"],
  "AWS::S3::Bucket": ["s3", ""],
  "AWS::SQS::Queue": ["sqs", ""],
  "AWS::Events::EventBus": ["events", "event-bus/"],
  "AWS::Events::Rule": ["events", "rule/"],
  "AWS::SecretsManager::Secret": ["secretsmanager", "secret:"],
  "AWS::KMS::Key": ["kms", "key/"],
  "AWS::IAM::Role": ["iam", "role/"],
  "AWS::Logs::LogGroup": ["logs", "log-group:"],
  "AWS::SNS::Topic": ["sns", ""],
  "AWS::Scheduler::ScheduleGroup": ["scheduler", "schedule-group/"],
};
