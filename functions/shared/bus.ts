import type { EventBus } from "../../lib/session/ports.js";
import { createEventBridgeBus } from "../../lib/stores/eventbridge/index.js";
import { type Environment, readVariables } from "./environment.js";

/** The deployment's own bus. @throws {MissingVariablesError} */
export function openBus(env: Environment): EventBus {
  return createEventBridgeBus({ busName: readVariables(["PARKWAY_BUS"], env).PARKWAY_BUS });
}
