import { systemClock } from "../../lib/stores/clock/index.js";
import { openRingingStores } from "../shared/ringing.js";
import { stack } from "../shared/stack.js";
import { instruments } from "../shared/start.js";
import { createWakeHandler } from "./handler.js";

const own = instruments("wake");
const { sessions, files, doorbell } = openRingingStores(own.env);

export const handler = await stack(
  createWakeHandler({
    store: sessions,
    files,
    doorbell,
    clock: systemClock,
    log: own.log,
    measure({ rung, failed, latenessMs }) {
      own.metrics.tell("wakeLateness", latenessMs);
      own.metrics.tell("doorbellsRung", rung);
      own.metrics.tell("doorbellsFailed", failed);
    },
  }),
  own,
);
