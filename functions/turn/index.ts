import { systemClock } from "../../lib/stores/clock/index.js";
import { openBus } from "../shared/bus.js";
import { stack } from "../shared/stack.js";
import { ASSET, instruments, once } from "../shared/start.js";
import { openStores } from "../shared/stores.js";
import { createTurnHandler } from "./handler.js";
import { closingOn, openWorker } from "./worker.js";

const own = instruments("turn");
const stores = openStores(own.env);
const bus = openBus(own.env);

export const handler = await stack(
  createTurnHandler({
    // Made at the first message: its secrets are fetched then, once per cold start (H-126).
    worker: once(async (invocationLimitMs: number) =>
      closingOn(process, await openWorker({ ...own, stores, bus, rootDir: ASSET, invocationLimitMs })),
    ),
    clock: systemClock,
    log: own.log,
  }),
  own,
);
