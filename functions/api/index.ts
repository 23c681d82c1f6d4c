import { createApi, type GatewayEvent, gatewayHandler, modelsFrom } from "../../lib/http/index.js";
import { systemClock } from "../../lib/stores/clock/index.js";
import { createSecrets } from "../../lib/stores/secrets/index.js";
import { accessLog } from "../shared/access-log.js";
import { readVariables } from "../shared/environment.js";
import { openIntake } from "../shared/intake.js";
import { openRingingStores } from "../shared/ringing.js";
import { stack } from "../shared/stack.js";
import { ASSET, instruments, readDeployment } from "../shared/start.js";
import { openCredentials } from "./credentials.js";

const own = instruments("api");
const stores = openRingingStores(own.env);
const intake = openIntake({ ...own, stores, rootDir: ASSET, mounts: readDeployment(ASSET).mountNames });
const { PARKWAY_ENVIRONMENT: environment } = readVariables(["PARKWAY_ENVIRONMENT"], own.env);
const answer = gatewayHandler(
  createApi({
    intake,
    environment,
    models: modelsFrom(own.env.PARKWAY_MODELS),
    credentials: openCredentials({ env: own.env, secrets: createSecrets(), client: stores.client }),
    clock: systemClock,
    log: accessLog(own.log),
  }),
);

export const handler = await stack((event: GatewayEvent) => answer(event), own);
