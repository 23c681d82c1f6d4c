/**
 * The floor: a hand-written loop with `fetch` for the model and the AWS SDK for DynamoDB. It reads the conversation with
 * one query and puts one item for each message: 9 requests for the common work. It has no lease, inbox or governance.
 */
import { type DynamoDBClient, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { askModel, type Message } from "../ask-model.js";
import { lookUp, TOOL, TOOL_PARAMETERS } from "../work.js";

export interface Floor {
  turn(conversation: string, message: string): Promise<string>;
}

export function createFloor({ client, table, url }: { client: DynamoDBClient; table: string; url: string }): Floor {
  async function transcript(conversation: string): Promise<Message[]> {
    const messages: Message[] = [];
    let from: Record<string, never> | undefined;
    do {
      const page = await client.send(
        new QueryCommand({
          TableName: table,
          ConsistentRead: true,
          KeyConditionExpression: "pk = :c",
          ExpressionAttributeValues: { ":c": { S: conversation } },
          ExclusiveStartKey: from,
        }),
      );
      for (const item of page.Items ?? []) messages.push(JSON.parse(String(item.message?.S)) as Message);
      from = page.LastEvaluatedKey as typeof from;
    } while (from);
    return messages;
  }

  return {
    async turn(conversation, message) {
      const messages = await transcript(conversation);
      const add = async (added: Message) => {
        const step = String(messages.length).padStart(8, "0");
        const Item = { pk: { S: conversation }, sk: { S: step }, message: { S: JSON.stringify(added) } };
        await client.send(new PutItemCommand({ TableName: table, Item }));
        messages.push(added);
      };
      await add({ role: "user", content: message });
      while (true) {
        const answer = await askModel(url, messages, { name: TOOL, parameters: TOOL_PARAMETERS });
        await add(answer);
        if (!answer.tool_calls) return answer.content ?? "";
        for (const call of answer.tool_calls) {
          const { part } = JSON.parse(call.function.arguments) as { part: string };
          await add({ role: "tool", tool_call_id: call.id, content: lookUp(part) });
        }
      }
    },
  };
}
