/** The name of the graph's one channel: the session's patches. */
export const SESSION_CHANNEL = "session";
