/** What can be said of a granted name before or after the servers were asked. */
import type { ListedMcpServer } from "./list.js";
import { chosenBy, exposedName, isToolOf } from "./names.js";
import type { ServerSettings } from "./types.js";

/**
 * @param listed - what `listServers` found; without it nothing was connected to
 * @returns `none` for a name that no server's tool has, `missing` for one that no server offers, `unsure` where only an
 *   answer of the server could tell
 */
export function knowledgeOf(
  settings: readonly ServerSettings[],
  listed: Readonly<Record<string, ListedMcpServer>> | null,
): (tool: string) => "none" | "unsure" | "offered" | "missing" {
  return (tool) => {
    const possible = settings.filter((server) => isToolOf([server], tool));
    if (possible.length === 0) return "none";
    const verdicts = possible.map((server) => verdictOf(server, listed?.[server.name], tool));
    return (
      verdicts.find((verdict) => verdict === "offered") ?? verdicts.find((verdict) => verdict === "unsure") ?? "missing"
    );
  };
}

function verdictOf(
  server: ServerSettings,
  listed: ListedMcpServer | undefined,
  tool: string,
): "unsure" | "offered" | "missing" {
  // What is disabled or cannot be connected to as it is described offers nothing.
  if (!("timeoutMs" in server)) return "missing";
  const { name, tools: filter } = server;
  const isIt = (own: string) => exposedName(name, own) === tool;
  if (listed?.status === "connected") {
    const tools = listed.tools.filter((own) => chosenBy(filter, own.name));
    return tools.some((own) => isIt(own.name)) ? "offered" : "missing";
  }
  const named = Object.keys(filter).filter(isIt);
  if (named.some((own) => chosenBy(filter, own))) return "unsure";
  const onlySome = Object.values(filter).includes(true);
  return onlySome || named.length > 0 ? "missing" : "unsure";
}
