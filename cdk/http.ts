/** The HTTP entrances. Nothing answers without a credential but webhooks, whose signatures their function verifies. */

import { AccessLogFormat } from "aws-cdk-lib/aws-apigateway";
import {
  ApiMapping,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpStage,
  LogGroupLogDestination,
  SecurityPolicy,
} from "aws-cdk-lib/aws-apigatewayv2";
import { HttpIamAuthorizer } from "aws-cdk-lib/aws-apigatewayv2-authorizers";
import { HttpLambdaIntegration } from "aws-cdk-lib/aws-apigatewayv2-integrations";
import { Certificate } from "aws-cdk-lib/aws-certificatemanager";
import type { LogGroup } from "aws-cdk-lib/aws-logs";
import { ARecord, HostedZone, RecordTarget } from "aws-cdk-lib/aws-route53";
import { ApiGatewayv2DomainProperties } from "aws-cdk-lib/aws-route53-targets";
import type { Construct } from "constructs";
import type { Functions } from "./functions.js";
import { accept } from "./nag.js";
import type { Domain, ParkwayProps } from "./props.js";

export interface Entrances {
  /** Webhooks, and the API for callers with a key. */
  api: HttpApi;
  /** The API for SigV4 callers, where there are any. */
  iamApi?: HttpApi;
  urls: Urls;
}

export interface Urls {
  /** `<api>/v1/…` with an API key; absent where keys are off. */
  api?: string;
  /** `<iam>/v1/…` signed with SigV4; absent where it is off. */
  iam?: string;
  /** `<webhooks>/<workflow>/<trigger>`. */
  webhooks: string;
}

const DEFAULT_THROTTLE = { ratePerSecond: 100, burst: 200 };

/** N-41: no headers, no bodies, and the route in place of the path, which holds names of sessions. */
const ACCESS_LOG = AccessLogFormat.custom(
  JSON.stringify({
    requestId: "$context.requestId",
    time: "$context.requestTimeEpoch",
    method: "$context.httpMethod",
    route: "$context.routeKey",
    status: "$context.status",
    durationMs: "$context.responseLatency",
    principal: "$context.identity.userArn",
    error: "$context.integrationErrorMessage",
  }),
);

/**
 * SigV4 callers have an API of their own: a route has one authorizer, and a request that the gateway has not verified must
 * never look like one that it has. So on the first API no route has an authorizer, and its function takes API keys alone; on
 * the second every route has.
 */
export function createEntrances(
  scope: Construct,
  { props, functions, logs }: { props: ParkwayProps; functions: Functions; logs: LogGroup },
): Entrances {
  const hasKeys = props.credentials.includes("api-key");
  const create = (id: string, options: { domain?: Domain; authorizer?: HttpIamAuthorizer }) => {
    const api = new HttpApi(scope, id, {
      apiName: `parkway-${props.environment}-${id === "IamApi" ? "iam" : "http"}`,
      createDefaultStage: false,
      defaultAuthorizer: options.authorizer,
      // A name of one's own is then the only way in.
      disableExecuteApiEndpoint: options.domain !== undefined,
    });
    const { ratePerSecond, burst } = props.throttle ?? DEFAULT_THROTTLE;
    const stage = new HttpStage(api, "Stage", {
      httpApi: api,
      stageName: "$default",
      autoDeploy: true,
      throttle: { rateLimit: ratePerSecond, burstLimit: burst },
      accessLogSettings: { destination: new LogGroupLogDestination(logs), format: ACCESS_LOG },
    });
    return { api, stage };
  };

  const { api, stage } = create("HttpApi", { domain: props.domain });
  const webhook = new HttpLambdaIntegration("Webhook", functions.webhook);
  const calls = new HttpLambdaIntegration("Api", functions.api);
  const open = (path: string, method: HttpMethod, options: { integration: HttpLambdaIntegration; reason: string }) => {
    const { integration, reason } = options;
    for (const route of api.addRoutes({ path, methods: [method], integration })) accept(route, "APIG4", reason);
  };
  open("/hooks/{proxy+}", HttpMethod.ANY, {
    integration: webhook,
    reason: "The function verifies the sender's signature.",
  });
  open("/healthz", HttpMethod.GET, {
    integration: calls,
    reason: "It says that the function runs, and nothing else (N-45).",
  });
  if (hasKeys) {
    open("/v1/{proxy+}", HttpMethod.ANY, {
      integration: calls,
      reason: "The function compares the API key's hash (N-36).",
    });
  }
  const base = props.domain ? `https://${props.domain.name}` : api.apiEndpoint;
  if (props.domain) mapDomain(scope, { api, stage, domain: props.domain });

  const urls: Urls = { ...(hasKeys ? { api: base } : {}), webhooks: `${base}/hooks` };
  if (!props.credentials.includes("iam")) return { api, urls };
  const { api: iamApi } = create("IamApi", { authorizer: new HttpIamAuthorizer() });
  const signed = new HttpLambdaIntegration("Api", functions.api);
  iamApi.addRoutes({ path: "/v1/{proxy+}", methods: [HttpMethod.ANY], integration: signed });
  return { api, iamApi, urls: { ...urls, iam: iamApi.apiEndpoint } };
}

function mapDomain(scope: Construct, { api, stage, domain }: { api: HttpApi; stage: HttpStage; domain: Domain }): void {
  const domainName = new DomainName(scope, "Domain", {
    domainName: domain.name,
    certificate: Certificate.fromCertificateArn(scope, "Certificate", domain.certificateArn),
    securityPolicy: SecurityPolicy.TLS_1_2,
  });
  new ApiMapping(scope, "DomainMapping", { api, domainName, stage });
  if (!domain.hostedZone) return;
  const { id: hostedZoneId, name: zoneName } = domain.hostedZone;
  const { regionalDomainName, regionalHostedZoneId } = domainName;
  new ARecord(scope, "DomainRecord", {
    zone: HostedZone.fromHostedZoneAttributes(scope, "Zone", { hostedZoneId, zoneName }),
    recordName: `${domain.name}.`,
    target: RecordTarget.fromAlias(new ApiGatewayv2DomainProperties(regionalDomainName, regionalHostedZoneId)),
  });
}
