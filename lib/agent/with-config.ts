/** `agent.withConfig`: the same agent with settings that its calls have unless they give their own (H-44). */
import type { Thread } from "./thread.js";
import type { Agent, AgentMembers, CallConfig } from "./types.js";

type Own = Omit<AgentMembers, keyof Thread | "withConfig"> & Pick<Agent, "workflow">;

/** The methods whose config the settings stand under. */
type Configured = Pick<
  AgentMembers,
  "invoke" | "stream" | "streamEvents" | "getState" | "getStateHistory" | "updateState" | "withConfig"
>;

/** The agent of these parts. */
export function configurable(own: Own, thread: Thread): Agent {
  return joined(own, thread, { withConfig: (config) => withConfig(own, thread, config) });
}

/** `workflow`, `sessions` and everything else are the given agent's own. */
function withConfig(own: Own, thread: Thread, defaults: CallConfig): Agent {
  const under = <Config extends object>(config: Config): Config => {
    const asked: CallConfig = config ?? {};
    return { ...defaults, ...config, configurable: { ...defaults.configurable, ...asked.configurable } };
  };
  return joined(own, thread, {
    invoke: (input, config) => own.invoke(input, under(config)),
    stream: (input, config) => own.stream(input, under(config)),
    streamEvents: (input, config, filter) => own.streamEvents(input, under(config), filter),
    getState: (config) => thread.getState(under(config)),
    getStateHistory: (config, listing) => thread.getStateHistory(under(config), listing),
    updateState: (config, values) => thread.updateState(under(config), values),
    withConfig: (config) => withConfig(own, thread, under(config)),
  });
}

/** By descriptor, so that the graph is compiled only when somebody looks at it. */
function joined(own: Own, thread: Thread, configured: Partial<Configured> & Pick<Configured, "withConfig">): Agent {
  const parts = [own, thread, configured].map((part) => Object.getOwnPropertyDescriptors(part));
  return Object.defineProperties({}, Object.assign({}, ...parts)) as Agent;
}
