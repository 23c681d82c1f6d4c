/** One request to Bedrock: fitted to the service, attempted as A-46…A-52 say, its stream read from its first content on. */
import type { ConverseCommandInput, ConverseStreamOutput } from "@aws-sdk/client-bedrock-runtime";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type Attempt, type AttemptOptions, withAttempts } from "./attempts.js";
import { awsStatusOf, isNoFault } from "./aws-error.js";
import { fittedInput, hasMark, withoutMarks } from "./bedrock-input.js";

interface Command {
  input: ConverseCommandInput;
}

interface Output {
  stream?: AsyncIterable<ConverseStreamOutput>;
}

/** As the service's client has it. */
export type BedrockSend = (command: Command, options?: { abortSignal?: AbortSignal }) => Promise<Output>;

/**
 * A host's own model of Bedrock with requests that the service takes and streams read to their end; what it is told of
 * retries stays. The host's instance is left as it is.
 */
export function fittedBedrock(model: BaseChatModel): BaseChatModel {
  const { client } = model as { client?: { send?: BedrockSend } };
  if (client?.send === undefined) return model;
  const send = client.send.bind(client);
  const fitted: BedrockSend = async (command, call) => {
    command.input = fittedInput(command.input);
    const output = await send(command, call);
    return output.stream ? { ...output, stream: understood(output.stream) } : output;
  };
  return Object.create(model, {
    client: { value: Object.create(client, { send: { value: fitted } }) },
  }) as BaseChatModel;
}

/** A client's `send` with the rules of this layer. */
export function bedrockSend(send: BedrockSend, options: AttemptOptions): BedrockSend {
  let refusesMarks = false;
  return async (command, call) => {
    const signal = call?.abortSignal;
    const attempting = () => withAttempts(() => attemptOnce(send, command, call), options, signal);
    command.input = fittedInput(command.input);
    if (refusesMarks) command.input = withoutMarks(command.input);
    try {
      return await attempting();
    } catch (error) {
      if (!hasMark(command.input) || !isAboutMarks(error)) throw error;
      // A model that caches nothing, or not for that long: H-39 wants neither a failure nor a warning.
      refusesMarks = true;
      command.input = withoutMarks(command.input);
      return await attempting();
    }
  };
}

async function attemptOnce(send: BedrockSend, ...request: Parameters<BedrockSend>): Promise<Attempt<Output>> {
  try {
    const output = await send(...request);
    return { delivered: output.stream ? { ...output, stream: await fromFirstContent(output.stream) } : output };
  } catch (error) {
    const status = awsStatusOf(error);
    return {
      failed: {
        status,
        error,
        ...(status === undefined ? { retryable: !isNoFault(error) } : {}),
        retryAfter: (error as { $response?: { headers?: Record<string, string> } }).$response?.headers?.["retry-after"],
        text: async () => (error instanceof Error ? error.message : String(error)),
        surface: () => {
          throw error;
        },
      },
    };
  }
}

/** The stream once its first content is here, from its beginning. Rejects when it fails before. */
async function fromFirstContent(events: AsyncIterable<ConverseStreamOutput>) {
  const iterator = understood(events);
  const held: ConverseStreamOutput[] = [];
  for (;;) {
    const { done, value } = await iterator.next();
    if (done) break;
    held.push(value);
    if (value.contentBlockStart || value.contentBlockDelta || value.messageStop) break;
  }
  return (async function* () {
    try {
      yield* held;
      yield* iterator;
    } finally {
      await iterator.return(undefined);
    }
  })();
}

/** What LangChain's package can read of a stream; it throws on some of what newer models send. */
async function* understood(events: AsyncIterable<ConverseStreamOutput>): AsyncGenerator<ConverseStreamOutput, void> {
  let ended = false;
  for await (const event of events) {
    if (event.messageStop) ended = true;
    // Counts that were not reported would be read as zero (F-63).
    if (event.metadata && !event.metadata.usage) continue;
    if (event.contentBlockStart && !event.contentBlockStart.start?.toolUse) continue;
    const delta = event.contentBlockDelta?.delta;
    if (event.contentBlockDelta && typeof delta?.text !== "string" && delta?.toolUse === undefined) continue;
    yield event;
  }
  // A connection that is cut looks like the end of the stream.
  if (!ended) throw new Error("The stream of the answer broke off before its end.");
}

function isAboutMarks(error: unknown): boolean {
  const status = awsStatusOf(error);
  return (status === 400 || status === 403) && /cache ?point|prompt caching|\bttl\b/i.test((error as Error).message);
}
