/** Assembles an agent from a root: its workflow, its environment, its configuration. */
import { loadConfigFile } from "./config-file.js";
import type { CliAgent, OpenAgent } from "./types.js";

export const openAgent: OpenAgent = async ({ root, workflow, onEvent = () => {} }): Promise<CliAgent> => {
  const config = await loadConfigFile(root);
  const { createAgent } = await import("../agent.js");
  return createAgent({ ...config, workspace: { rootDir: root }, workflow, onEvent });
};
