/** A model in whose calls somebody writes along. */
import type { ChatModel, ModelReply, ModelRequest, ModelRole } from "../../models/types.js";
import { normalRequest, type RunFacts } from "./normal-form.js";
import type { Exchange, RecordedReply } from "./types.js";

export interface Recording {
  /** `real` is asked for at the first call. */
  modelFor(role: ModelRole, asked: string | undefined, real: () => Promise<ChatModel>): ChatModel;
  /** Whole exchanges, in the order they were asked. */
  exchanges(): Exchange[];
  /** The first call that brought no answer: then what was recorded is not the whole story. */
  failure(): unknown;
}

export function recordingOf(run: RunFacts): Recording {
  const slots: (Exchange | undefined)[] = [];
  let failure: unknown;

  async function asked(
    role: ModelRole,
    id: string | undefined,
    request: ModelRequest,
    real: () => Promise<ChatModel>,
  ): Promise<ModelReply> {
    const slot = slots.push(undefined) - 1;
    // What the caller goes on to change is not what was asked.
    const normal = structuredClone(normalRequest(role, id, request, run));
    try {
      const model = await real();
      const reply = await model.call(request);
      const named = reply.model ?? model.id;
      slots[slot] = { request: normal, reply: recorded(named === undefined ? reply : { ...reply, model: named }) };
      return reply;
    } catch (error) {
      failure ??= error;
      throw error;
    }
  }

  return {
    modelFor(role, id, real) {
      let made: Promise<ChatModel> | undefined;
      // A scripted model remembers what it has given out, so there is one of it.
      const once = () => {
        made ??= real();
        return made;
      };
      return { ...(id === undefined ? {} : { id }), call: (request) => asked(role, id, request, once) };
    },
    exchanges: () => slots.filter((slot) => slot !== undefined),
    failure: () => failure,
  };
}

function recorded({ text, calls, invalid, usage, model }: ModelReply): RecordedReply {
  const problems = new Map(invalid.map(({ callId, problem }) => [callId, problem]));
  return {
    text,
    calls: calls.map(({ id, name, args }) => {
      const problem = problems.get(id);
      return { name, args: structuredClone(args), ...(problem === undefined ? {} : { problem }) };
    }),
    ...(usage === undefined ? {} : { usage: { ...usage } }),
    ...(model === undefined ? {} : { model }),
  };
}
