/** Assembles an agent from a root: its workflow, its environment, its configuration. */
import { agentOptions, loadConfigFile } from "../config/index.js";
import type { CliAgent, OpenAgent } from "./types.js";

export const openAgent: OpenAgent = async ({ root, workflow, onEvent = () => {} }): Promise<CliAgent> => {
  const config = await loadConfigFile(root);
  const { createAgent } = await import("../agent.js");
  return createAgent({ ...agentOptions(config, root), workflow, onEvent });
};
