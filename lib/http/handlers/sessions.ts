/** Reading and deleting sessions (N-15…N-17). */
import { classifyStatus, type SessionSummary } from "../../session/outcome.js";
import type { SessionFilter } from "../../session/ports.js";
import { WORKFLOW_STATUSES } from "../../session/state.js";
import { type Call, type Handlers, mayUse, requireWorkflow, sessionIdOf } from "../call.js";
import type { Principal } from "../credentials.js";
import { NotFoundError } from "../errors.js";
import { latestFirst, pageOf, type RowKey } from "../paging.js";
import type { QueryOf, RouteName } from "../routes.js";
import { trailView, variablesView } from "../turn-view.js";

type Shown = Record<string, unknown>;

export const sessionHandlers: Pick<Handlers, "listSessions" | "session" | "trail" | "variables" | "deleteSession"> = {
  async listSessions({ query, intake, principal }) {
    const { limit, cursor, workflow, parent } = query;
    requireWorkflow(principal, workflow);
    const filters = filtersOf(query, principal);
    const read = async (count: number) => {
      // Which sessions are a parent's children, no index tells.
      const most = parent === undefined ? { limit: count } : { parent };
      const lists = await Promise.all(filters.map((filter) => intake.sessions.list({ ...filter, ...most })));
      return lists.flat().sort((a, b) => latestFirst(keyOfSession(a), keyOfSession(b)));
    };
    const page = await pageOf(read, { limit, cursor, keyOf: keyOfSession });
    return { status: 200, body: { ...page, items: page.items.map((row) => sessionView(row, principal)) } };
  },

  async session(call) {
    return { status: 200, body: sessionView(await summaryOf(call), call.principal) };
  },

  async trail(call) {
    const { sessionId } = await summaryOf(call);
    return { status: 200, body: { items: trailView(await call.intake.sessions.trail(sessionId)) } };
  },

  async variables(call) {
    const { variables } = await summaryOf(call);
    return { status: 200, body: { variables: variablesView(variables, call.principal) } };
  },

  async deleteSession(call) {
    const { intake, principal, query } = call;
    const sessionId = sessionIdOf(call);
    if (principal.workflows) await summaryOf(call);
    if (!(await intake.sessions.delete(sessionId, { children: query.children === "true" }))) throw new NotFoundError();
    return { status: 204 };
  },
};

function keyOfSession({ sessionId, createdAt, updatedAt }: SessionSummary): RowKey {
  return { id: sessionId, createdAt: Date.parse(createdAt), updatedAt: Date.parse(updatedAt) };
}

/** What the store can choose by is one status and one workflow, so several of either are several lists. */
function filtersOf(query: QueryOf<"listSessions">, { workflows: permitted }: Principal): SessionFilter[] {
  const { workflow, status, classification, dueBefore } = query;
  const ofClass = STATUSES.filter((each) => classification === undefined || classifyStatus(each) === classification);
  const statuses = classification === undefined && status === undefined ? [undefined] : ofClass;
  const workflows = workflow === undefined && permitted ? permitted : [workflow];
  return workflows.flatMap((slug) =>
    statuses
      .filter((each) => status === undefined || each === status)
      .map((each) => ({
        ...(slug === undefined ? {} : { workflow: slug }),
        ...(each === undefined ? {} : { status: each }),
        ...(dueBefore === undefined ? {} : { dueBefore: Date.parse(dueBefore) }),
      })),
  );
}

const STATUSES = Object.values(WORKFLOW_STATUSES);

async function summaryOf(call: Call<RouteName>): Promise<SessionSummary> {
  const summary = await call.intake.sessions.get(sessionIdOf(call));
  // The same answer to both, or a restricted key could ask which sessions there are (N-37).
  if (summary === null || !mayUse(call.principal, summary.workflow)) {
    throw new NotFoundError("There is no such session, or it has not run yet.");
  }
  return summary;
}

function sessionView(summary: SessionSummary, principal: Principal): Shown {
  const { variables, ...told } = summary;
  const title = variables?.title;
  const isTitled = typeof title?.value === "string" && !title.locked;
  return {
    ...told,
    ...(isTitled ? { title: title.value } : {}),
    ...(variables ? { variables: variablesView(variables, principal) } : {}),
  };
}
