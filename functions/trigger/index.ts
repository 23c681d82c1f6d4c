import { openIntake } from "../shared/intake.js";
import { openRingingStores } from "../shared/ringing.js";
import { stack } from "../shared/stack.js";
import { ASSET, instruments, readDeployment } from "../shared/start.js";
import { createTriggerHandler } from "./handler.js";

const own = instruments("trigger");
const deployment = readDeployment(ASSET);

export const handler = await stack(
  createTriggerHandler({
    intake: openIntake({ ...own, stores: openRingingStores(own.env), rootDir: ASSET, mounts: deployment.mountNames }),
    deployment,
    log: own.log,
  }),
  own,
);
