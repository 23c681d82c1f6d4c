/** A function that does what its event says, for tests of the bench itself. */
import { appendFileSync } from "node:fs";
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";

let count = 0;
const client = new DynamoDBClient({});
const sqs = new SQSClient({});
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const ACTIONS = {
  echo: async (event) => event,
  count: async () => ++count,
  time: async (_event, context) => ({
    now: Date.now(),
    at: new Date().toISOString(),
    left: context.getRemainingTimeInMillis(),
  }),
  environment: async () => process.env,
  fail: async ({ file }) => {
    if (file) appendFileSync(file, "x");
    throw new TypeError("No luck.");
  },
  hang: () => new Promise((resolve) => setTimeout(resolve, 1_000_000)),
  pause: ({ ms }) => wait(ms),
  // Goes on after the answer, as no handler should.
  background: async ({ file }) => {
    setInterval(() => appendFileSync(file, "x"), 5);
    return "answered";
  },
  put: async ({ table, id }) => {
    await client.send(new PutItemCommand({ TableName: table, Item: { pk: { S: id }, sk: { S: "META" } } }));
    return "put";
  },
  send: async ({ queueUrl, body }) =>
    (await sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body }))).MessageId,
};

export async function handler(event, context) {
  if (event.version === "2.0") return { statusCode: 201, headers: { "x-probe": "yes" }, body: JSON.stringify(event) };
  if (!event.Records) return ACTIONS[event.do](event, context);
  const batchItemFailures = [];
  for (const { messageId, body, attributes } of event.Records) {
    const { file, fail, ms = 0 } = JSON.parse(body);
    if (file) appendFileSync(file, `${attributes.ApproximateReceiveCount}\n`);
    await wait(ms);
    if (fail) batchItemFailures.push({ itemIdentifier: messageId });
  }
  return { batchItemFailures };
}
