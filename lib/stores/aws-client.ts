/** Settings of the clients that the stores make for themselves; without an address or region, the environment's count. */
export interface ClientPlace {
  /** Another address than the service's, for a local engine. */
  endpoint?: string;
  region?: string;
}

/** The SDK's own repetitions when the service is busy or does not answer; a little more patient than it is by default. */
const ATTEMPTS = 5;

/** @param socketTimeout - milliseconds: a connection that died silently would hold a turn until its function's end */
export function clientSettings({ endpoint, region }: ClientPlace, socketTimeout = 10_000) {
  return {
    ...(region !== undefined ? { region } : {}),
    ...(endpoint !== undefined ? { endpoint } : {}),
    maxAttempts: ATTEMPTS,
    requestHandler: { connectionTimeout: 3_000, socketTimeout },
  };
}
