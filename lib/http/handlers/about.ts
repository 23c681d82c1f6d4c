/** Whether the function runs, and who is asking (N-45). */
import type { Handlers } from "../call.js";

export const aboutHandlers: Pick<Handlers, "health" | "me"> = {
  async health() {
    return { status: 200, body: { status: "ok" } };
  },

  async me({ principal: { id, scopes, workflows, tenant } }) {
    return {
      status: 200,
      body: {
        principal: id,
        scopes: [...scopes].sort(),
        ...(workflows ? { workflows } : {}),
        ...(tenant === undefined ? {} : { tenant }),
      },
    };
  },
};
