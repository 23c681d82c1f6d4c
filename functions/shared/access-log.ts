/** One line for each request (N-41). */
import type { AccessLog } from "../../lib/http/index.js";
import { errorFields, type Log } from "./log.js";

export function accessLog(log: Log): AccessLog {
  return ({ error, ...entry }) => {
    if (error === undefined) log.info("Request", entry);
    else log.error("Request", { ...entry, ...errorFields(error) });
  };
}
