/** The account that moto plays, and calls of services that this repository has no client of. */

export const ACCOUNT = "123456789012";
export const REGION = "us-east-1";

export function motoEndpoint(): string {
  const endpoint = process.env.AWS_ENDPOINT_URL;
  if (!endpoint) throw new Error("AWS_ENDPOINT_URL leads to no moto; run `npm run test:moto`.");
  return endpoint;
}

/** moto reads the service from the signature, and does not check it unless it is told to. */
function headersFor(service: string): Record<string, string> {
  const scope = `moto/20260101/${REGION}/${service}/aws4_request`;
  return { authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0` };
}

/** A call of a service that takes forms and answers in XML. @throws for every answer but 200 */
export async function callQuery(service: string, action: string, params: Record<string, string> = {}): Promise<string> {
  const body = new URLSearchParams({ Action: action, ...params });
  const response = await fetch(motoEndpoint(), { method: "POST", headers: headersFor(service), body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${service}:${action} answered ${response.status}: ${text}`);
  return text;
}

/** A call of a service of paths and JSON. @throws for every answer but 200 */
export async function callJson(service: string, path: string): Promise<unknown> {
  const response = await fetch(`${motoEndpoint()}${path}`, { headers: headersFor(service) });
  if (!response.ok) throw new Error(`${service} answered ${response.status} for ${path}: ${await response.text()}`);
  return response.json();
}

/** A call of a service of targets and JSON. @throws for every answer but 200 */
export async function callTarget(service: string, target: string, body: unknown): Promise<unknown> {
  const headers = { ...headersFor(service), "x-amz-target": target, "content-type": "application/x-amz-json-1.1" };
  const response = await fetch(motoEndpoint(), { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${target} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** Texts of the elements of this name, in order. */
export function textsOf(xml: string, element: string): string[] {
  return [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, "g"))].map(([, text]) => text ?? "");
}

/** Whether moto judges every call by the caller's policies, as the service does. */
export async function enforcePolicies(enforced: boolean): Promise<void> {
  const body = enforced ? "0" : "inf";
  const response = await fetch(`${motoEndpoint()}/moto-api/reset-auth`, { method: "POST", body });
  if (!response.ok) throw new Error(`moto answered ${response.status} to a change of its enforcement.`);
}

export interface RoleCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken: string;
}

export async function assumeRole(roleArn: string): Promise<RoleCredentials> {
  const xml = await callQuery("sts", "AssumeRole", {
    RoleArn: roleArn,
    RoleSessionName: "test",
    Version: "2011-06-15",
  });
  const one = (element: string) => textsOf(xml, element)[0] ?? "";
  return {
    accessKeyId: one("AccessKeyId"),
    secretAccessKey: one("SecretAccessKey"),
    sessionToken: one("SessionToken"),
  };
}
