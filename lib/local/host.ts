/** A deployment on one machine: the functions' own handlers behind a loopback gateway (S-103). */
import {
  type AccessLog,
  type Credentials,
  createApi,
  createAuthenticator,
  createWebhooks,
  type HttpHandler,
  modelsFrom,
} from "../http/index.js";
import { openGateway } from "./gateway.js";
import { openLocalKeys } from "./keys.js";
import { createEventsEntrance } from "./put-events.js";
import { createLocalRuntime, type LocalRuntime, type LocalRuntimeParams } from "./runtime.js";
import { createLocalSecrets, missingSecrets } from "./secrets.js";

/** Stands in API keys. */
const ENVIRONMENT = "local";

export interface LocalParams extends LocalRuntimeParams {
  /** 0 for any that is free. */
  port: number;
  /** Makes an API key although there is one. */
  newKey?: true;
}

export interface LocalHost extends Pick<LocalRuntime, "deployment" | "schedules" | "tick" | "idle"> {
  url: string;
  /** The text of an API key that was made now; it is told this once. */
  newKey: string | null;
  workflows: readonly string[];
  /** Takes nothing more, lets what is under way end or give its session back, and closes the store. */
  close(): Promise<void>;
}

/**
 * @throws {DeploymentError} @throws {PortInUseError}
 * @throws for options that agents cannot be made with (H-129)
 */
export async function startLocal(params: LocalParams): Promise<LocalHost> {
  const { rootDir, tell } = params;
  const runtime = await createLocalRuntime(params);
  try {
    const { deployment, intake, clock } = runtime;
    const keys = await openLocalKeys(rootDir, {
      environment: ENVIRONMENT,
      now: clock.now(),
      newKey: params.newKey === true,
    });
    for (const message of missingSecrets(deployment, params.env)) tell({ kind: "warning", message });
    const gateway = await openGateway({
      routes: routesOf(params, runtime, keys.credentials),
      port: params.port,
      clock,
      failed: (error) => tell({ kind: "failure", doing: "answering a request", error }),
    });
    return {
      deployment,
      url: `http://127.0.0.1:${gateway.port}`,
      newKey: keys.newKey,
      workflows: await intake.workflows.slugs(),
      schedules: runtime.schedules,
      tick: runtime.tick,
      idle: runtime.idle,
      async close() {
        await gateway.close();
        await runtime.close();
        await keys.close();
      },
    };
  } catch (error) {
    await runtime.close();
    throw error;
  }
}

function routesOf(
  { env, tell }: LocalParams,
  { deployment, intake, bus, clock }: LocalRuntime,
  credentials: Credentials,
): Record<string, HttpHandler> {
  const log: AccessLog = (entry) => tell({ kind: "request", entry });
  const authenticate = createAuthenticator({ credentials, environment: ENVIRONMENT, clock });
  const api = createApi({
    intake,
    credentials,
    environment: ENVIRONMENT,
    models: modelsFrom(env.PARKWAY_MODELS),
    clock,
    log,
  });
  const { webhooks } = deployment;
  return {
    v1: api,
    healthz: api,
    hooks: createWebhooks({ intake, webhooks, secrets: createLocalSecrets(env), clock, log }),
    events: createEventsEntrance({ authenticate, bus, clock, log }),
  };
}
