/** An agent for the common work on the embedded stores: SQLite and files, in a folder on the disk. */
import { join } from "node:path";
import { createAgent, type GovernedAgent, type GovernedAgentParams } from "../../lib/agent.js";
import { createFilesystemFileStore } from "../../lib/stores/filesystem/index.js";
import { createSqliteSessionStore } from "../../lib/stores/sqlite/index.js";
import { toolsFromMap } from "../../lib/tools/index.js";
import { countHanded, type Handed } from "./handed.js";
import { diskFolder, lookUp, SPEC, TOOL, TOOL_PARAMETERS, WORKFLOW } from "./work.js";

export interface Desk {
  agent: GovernedAgent;
  handed: Handed;
}

export async function openDesk(
  url: string,
  params: Partial<GovernedAgentParams> & { streaming?: boolean; files?: Record<string, string> } = {},
): Promise<Desk> {
  const { streaming = false, files, ...rest } = params;
  const rootDir = workspace(files);
  const dir = join(rootDir, "sessions");
  const handed = countHanded(createSqliteSessionStore({ file: join(dir, ".parkway", "parkway.db") }));
  const agent = await createAgent({
    ...deskParams(url, { rootDir, streaming }),
    stores: { sessions: handed.store, files: createFilesystemFileStore({ dir }) },
    ...rest,
  });
  return { agent, handed };
}

/** What every agent of the common work has, whatever its stores. */
export function deskParams(url: string, { rootDir = workspace(), streaming = false } = {}) {
  return {
    workflow: WORKFLOW,
    onEvent: () => {},
    workspace: { rootDir },
    tools: toolsFromMap({
      [TOOL]: {
        description: "Looks up a part of the order.",
        inputSchema: TOOL_PARAMETERS,
        readOnly: true,
        handler: ({ part }) => lookUp(String(part)),
      },
    }),
    env: {
      ARCHMAX_API_BASE_URL: url,
      ARCHMAX_API_KEY: "bench",
      ARCHMAX_MODEL: "bench",
      ARCHMAX_STREAMING: streaming ? "on" : "off",
    },
  };
}

/** A folder with the common workflow, or with other files. */
export function workspace(files: Record<string, string> = { [`workflows/${WORKFLOW}/workflow.yaml`]: SPEC }): string {
  return diskFolder(files);
}
