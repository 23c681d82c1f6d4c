/** S3, SQS and EventBridge as a process of their own, so that their CPU is not counted: prints their addresses as JSON. */
import { startEventBridge } from "../../aws/eventbridge.js";
import { startS3 } from "../../aws/s3.js";
import { startSqs } from "../../aws/sqs.js";
import { BUCKET, BUS, QUEUE } from "./names.js";

const [s3, sqs, events] = await Promise.all([startS3(), startSqs(), startEventBridge()]);
s3.createBucket(BUCKET);
events.createBus(BUS);
const queueUrl = sqs.createQueue(QUEUE);
console.log(JSON.stringify({ s3: s3.endpoint, sqs: sqs.endpoint, events: events.endpoint, queueUrl }));
process.on("disconnect", () => process.exit());
