/** A model that answers from a cassette, and knows when it is asked something else. */
import type { ChatModel, InvalidCall, ModelReply, ModelRequest, ModelRole } from "../../models/types.js";
import type { ToolCall } from "../../session/messages.js";
import { CassetteMismatchError, type InvalidCassetteError } from "./errors.js";
import { normalRequest, type RunFacts, requestText } from "./normal-form.js";
import type { Exchange, RecordedReply } from "./types.js";

export interface Replay {
  modelFor(role: ModelRole, asked: string | undefined): ChatModel;
  /** What keeps it from being followed: the first request that was not the recorded one. Nothing is answered after it. */
  fault(): CassetteFault | undefined;
  /** How many exchanges were not asked for. */
  unused(): number;
}

type CassetteFault = CassetteMismatchError | InvalidCassetteError;

/**
 * @param file - as errors name it
 * @param broken - why nothing can be answered at all
 */
export function replayOf(
  file: string,
  exchanges: readonly Exchange[],
  run: RunFacts,
  broken?: InvalidCassetteError,
): Replay {
  const unused = exchanges.map(({ request, reply }, index) => ({
    number: index + 1,
    role: request.role,
    text: requestText(request),
    reply,
  }));
  let fault: CassetteFault | undefined = broken;

  async function answer(role: ModelRole, asked: string | undefined, request: ModelRequest): Promise<ModelReply> {
    request.signal?.throwIfAborted();
    if (fault !== undefined) throw fault;
    const text = requestText(normalRequest(role, asked, request, run));
    // Children that run at once may ask in another order than they did.
    const at = unused.findIndex((recorded) => recorded.text === text);
    const [found] = at < 0 ? [] : unused.splice(at, 1);
    if (found !== undefined) return replyOf(found.reply, request);
    fault = await mismatch(file, { role, text }, unused);
    throw fault;
  }

  return {
    modelFor: (role, asked) => ({
      ...(asked === undefined ? {} : { id: asked }),
      call: (request) => answer(role, asked, request),
    }),
    fault: () => fault,
    unused: () => unused.length,
  };
}

function replyOf(
  { text, calls, usage, model }: RecordedReply,
  { messageId, messages, onText }: ModelRequest,
): ModelReply {
  if (text !== "") onText?.(text);
  const taken = new Set(messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id)));
  const invalid: InvalidCall[] = [];
  let number = 0;
  const made = calls.map(({ name, args, problem }): ToolCall => {
    do number += 1;
    while (taken.has(`${messageId}-${number}`));
    const id = `${messageId}-${number}`;
    if (problem !== undefined) invalid.push({ callId: id, problem });
    // A caller may change what it got; the recording stays as it is.
    return { id, name, args: structuredClone(args) };
  });
  return { text, calls: made, invalid, ...(usage ? { usage } : {}), ...(model === undefined ? {} : { model }) };
}

interface Asked {
  role: ModelRole;
  text: string;
}

async function mismatch(
  file: string,
  asked: Asked,
  unused: readonly (Asked & { number: number })[],
): Promise<CassetteMismatchError> {
  const nearest = nearestOf(asked, unused);
  if (nearest === undefined) {
    const end = asked.text.slice(-MAX_SHOWN_CHARS).trimEnd();
    return new CassetteMismatchError(
      file,
      `The workflow asks the ${asked.role} model once more than ${file} has answers. It asks, at the end:\n${end}\n`,
    );
  }
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const diff = createTwoFilesPatch("recorded", "asked now", nearest.text, asked.text, undefined, undefined, {
    context: 2,
    headerOptions: FILE_HEADERS_ONLY,
  });
  const what = `The workflow asks the ${asked.role} model something else than exchange ${nearest.number} of ${file}.`;
  return new CassetteMismatchError(file, what, diff.trimEnd());
}

const MAX_SHOWN_CHARS = 600;

/** Of the exchanges still due for the role, the one that has most lines in common with the request. */
function nearestOf<Due extends Asked>(asked: Asked, unused: readonly Due[]): Due | undefined {
  const lines = new Set(asked.text.split("\n"));
  let nearest: Due | undefined;
  let most = -1;
  for (const due of unused) {
    if (due.role !== asked.role) continue;
    const own = due.text.split("\n");
    const shared = own.filter((line) => lines.has(line)).length / Math.max(own.length, lines.size);
    if (shared > most) [nearest, most] = [due, shared];
  }
  return nearest;
}
