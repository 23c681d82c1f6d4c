/**
 * The bench's runtime client: loads a function's handler and runs invocations from the Lambda Runtime API, one after the
 * other. It knows nothing of what it runs. Started by the path of this file; all else is in the environment.
 */
import { Agent, request } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const api = `http://${process.env.AWS_LAMBDA_RUNTIME_API}/2018-06-01/runtime`;
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** Lambda's clock is the system's; the bench's may be ahead, so that a park of hours passes at once. */
let offsetMs = Number(process.env.BENCH_OFFSET_MS ?? 0);
const SystemDate = Date;
globalThis.Date = class extends SystemDate {
  constructor(...args) {
    if (args.length === 0) super(SystemDate.now() + offsetMs);
    else super(...args);
  }
  static now() {
    return SystemDate.now() + offsetMs;
  }
};
Object.defineProperty(Date, "name", { value: "Date" });

/** Time may also be moved while an invocation runs. */
process.stdin.on("data", (chunk) => {
  offsetMs = Number(chunk.toString().trim().split("\n").at(-1));
});
process.stdin.unref();

function call(method, path, body) {
  return new Promise((resolve, reject) => {
    const sent = request(`${api}${path}`, { method, agent, headers: { "content-type": "application/json" } });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve({ headers: response.headers, body: Buffer.concat(chunks).toString() }));
      response.on("error", reject);
    });
    sent.end(body);
  });
}

function errorOf(error) {
  const isError = error instanceof Error;
  return JSON.stringify({
    errorType: isError ? error.name : typeof error,
    errorMessage: isError ? error.message : String(error),
    trace: isError ? String(error.stack).split("\n") : [],
  });
}

function contextOf(headers) {
  const deadline = Number(headers["lambda-runtime-deadline-ms"]);
  return {
    awsRequestId: headers["lambda-runtime-aws-request-id"],
    invokedFunctionArn: headers["lambda-runtime-invoked-function-arn"],
    functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
    functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
    memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
    logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
    logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => deadline - Date.now(),
  };
}

let handler;
try {
  const [file, name] = process.env._HANDLER.split(".");
  handler = (await import(pathToFileURL(join(process.env.LAMBDA_TASK_ROOT, `${file}.mjs`)).href))[name];
  if (typeof handler !== "function") throw new TypeError(`${process.env._HANDLER} is no function.`);
} catch (error) {
  await call("POST", "/init/error", errorOf(error));
  process.exit(1);
}

while (true) {
  const { headers, body } = await call("GET", "/invocation/next");
  offsetMs = Number(headers["bench-offset-ms"]);
  const at = `/invocation/${headers["lambda-runtime-aws-request-id"]}`;
  let answer;
  try {
    const result = await handler(JSON.parse(body), contextOf(headers));
    answer = ["/response", JSON.stringify(result) ?? "null"];
  } catch (error) {
    answer = ["/error", errorOf(error)];
  }
  await call("POST", `${at}${answer[0]}`, answer[1]);
}
