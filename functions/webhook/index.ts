import { createWebhooks, type GatewayEvent, gatewayHandler } from "../../lib/http/index.js";
import { systemClock } from "../../lib/stores/clock/index.js";
import { createSecrets } from "../../lib/stores/secrets/index.js";
import { accessLog } from "../shared/access-log.js";
import { openIntake } from "../shared/intake.js";
import { openRingingStores } from "../shared/ringing.js";
import { stack } from "../shared/stack.js";
import { ASSET, instruments, readDeployment } from "../shared/start.js";

const own = instruments("webhook");
const deployment = readDeployment(ASSET);
const answer = gatewayHandler(
  createWebhooks({
    intake: openIntake({ ...own, stores: openRingingStores(own.env), rootDir: ASSET, mounts: deployment.mountNames }),
    webhooks: deployment.webhooks,
    secrets: createSecrets(),
    clock: systemClock,
    log: accessLog(own.log),
  }),
);

export const handler = await stack((event: GatewayEvent) => answer(event), own);
