/** A client's requests seen through a window: counted, failed, or answered otherwise. */
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

export interface WireRequest {
  /** `Query`, `TransactWriteItems`, … */
  name: string;
  input: Record<string, unknown>;
}

/** Makes the request, or not; what it returns or throws is what the store sees. */
export type Tap = (
  request: WireRequest,
  send: () => Promise<Record<string, unknown>>,
) => Promise<Record<string, unknown>>;

/**
 * Puts a window into a client.
 *
 * @param where - `command`: around everything the SDK does for a command, its own attempts included; `attempt`: around
 * each single attempt
 */
export function tap(client: DynamoDBClient, where: "command" | "attempt", through: Tap): DynamoDBClient {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const name = String(context.commandName).replace(/Command$/, "");
      let answer: { response: unknown; output: unknown } | undefined;
      const output = await through({ name, input: args.input as Record<string, unknown> }, async () => {
        answer = await next(args);
        return answer.output as Record<string, unknown>;
      });
      return { response: answer?.response, output } as never;
    },
    // The outermost place of the step: an attempt is seen with its parsed answer.
    {
      step: where === "command" ? "initialize" : "deserialize",
      priority: "high",
      name: `tap-${where}-${Math.random()}`,
    } as never,
  );
  return client;
}

export interface CountedRequest {
  name: string;
  bytes: number;
}

/** Every command that the client sends, with the bytes of its body. */
export function countRequests(client: DynamoDBClient): CountedRequest[] {
  const requests: CountedRequest[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const body = (args.request as { body?: string | Uint8Array }).body ?? "";
      const name = String(context.commandName).replace(/Command$/, "");
      requests.push({ name, bytes: Buffer.byteLength(body) });
      return next(args);
    },
    { step: "build", name: "count-requests" },
  );
  return requests;
}

export function anError(name: string, fields: Record<string, unknown> = {}): Error {
  return Object.assign(new Error(name), { name, $metadata: {}, ...fields });
}

/** A transaction that was cancelled for these reasons. */
export function cancelled(...codes: string[]): Error {
  return anError("TransactionCanceledException", { CancellationReasons: codes.map((Code) => ({ Code })) });
}
