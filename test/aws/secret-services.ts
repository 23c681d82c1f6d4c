/** Stand-ins for SSM parameters and Secrets Manager: values by name, given to whoever asks by the services' rules. */
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SSMClient } from "@aws-sdk/client-ssm";
import { arnOf, nameFromArn } from "./arns.js";
import { localClientOptions } from "./client-options.js";
import { type JsonService, ServiceError, startJsonService } from "./json-service.js";

export interface LocalParameters extends JsonService {
  client(): SSMClient;
  /** A SecureString, as parameters with secrets are. */
  set(name: string, value: string): void;
}

export interface LocalSecrets extends JsonService {
  client(): SecretsManagerClient;
  /** @returns the secret's ARN, which ends in six characters of the service's */
  set(name: string, value: string): string;
  /** By name or ARN. */
  value(id: string): string;
}

/** SSM API reference, GetParameters: names a call. */
const MAX_NAMES = 10;

export async function startParameters(): Promise<LocalParameters> {
  const values = new Map<string, string>();

  function parameter(name: string, isDecrypted: boolean) {
    const plain = name.startsWith("arn:") ? (name.split(":parameter")[1] ?? "") : name;
    const value = values.get(plain) ?? values.get(plain.replace(/^\//, ""));
    if (value === undefined) return undefined;
    const Value = isDecrypted ? value : `encrypted:${Buffer.from(value).toString("base64")}`;
    return {
      Name: name,
      Type: "SecureString",
      Value,
      Version: 1,
      ARN: arnOf("ssm", `parameter/${plain.replace(/^\//, "")}`),
    };
  }

  const service = await startJsonService({
    target: "AmazonSSM",
    version: "1.1",
    operations: () => ({
      GetParameter({ Name, WithDecryption }) {
        const Parameter = parameter(String(Name), WithDecryption === true);
        if (!Parameter) throw new ServiceError("ParameterNotFound", "");
        return { Parameter };
      },
      GetParameters({ Names, WithDecryption }) {
        const names = Names as string[];
        if (names.length > MAX_NAMES) throw new ServiceError("ValidationException", `At most ${MAX_NAMES} names.`);
        const found = names.flatMap((name) => parameter(name, WithDecryption === true) ?? []);
        const InvalidParameters = names.filter((name) => !found.some(({ Name }) => Name === name));
        return { Parameters: found, InvalidParameters };
      },
    }),
  });
  return {
    ...service,
    client: () => new SSMClient(localClientOptions(service.endpoint)),
    set: (name, value) => void values.set(name, value),
  };
}

export async function startSecrets(): Promise<LocalSecrets> {
  const values = new Map<string, { arn: string; value: string }>();
  const find = (id: string) => [...values].find(([name, { arn }]) => name === id || arn === id) ?? [];

  const service = await startJsonService({
    target: "secretsmanager",
    version: "1.1",
    operations: () => ({
      GetSecretValue({ SecretId }) {
        const id = String(SecretId);
        const [name, found] = find(id);
        if (!found) {
          throw new ServiceError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
        }
        return { ARN: found.arn, Name: name, SecretString: found.value, VersionStages: ["AWSCURRENT"] };
      },
    }),
  });
  return {
    ...service,
    client: () => new SecretsManagerClient(localClientOptions(service.endpoint)),
    set(name, value) {
      const arn = values.get(name)?.arn ?? arnOf("secretsmanager", `secret:${nameFromArn(name)}-AbCdEf`);
      values.set(name, { arn, value });
      return arn;
    },
    value: (id) => find(id)[1]?.value ?? "",
  };
}
