/** A service of the AWS JSON protocols on a free port of this machine, for stand-ins of a few operations. */
import { randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Faults, plannedFaults } from "./faults.js";

export class ServiceError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly status = 400,
  ) {
    super(message);
  }
}

export type Operation = (input: Record<string, unknown>) => Record<string, unknown>;

export interface JsonService {
  endpoint: string;
  faults: Faults;
  /** Every request that came, refused ones too. */
  requests: { operation: string; input: Record<string, unknown> }[];
  stop(): Promise<void>;
}

/** @param service.target - what precedes the operation's name in `X-Amz-Target` */
export async function startJsonService(service: {
  target: string;
  version: "1.0" | "1.1";
  operations: (faults: Faults) => Record<string, Operation>;
}): Promise<JsonService> {
  const faults = plannedFaults();
  const operations = service.operations(faults);
  const requests: JsonService["requests"] = [];
  const contentType = `application/x-amz-json-${service.version}`;

  function serve(header: string, body: string): Record<string, unknown> {
    const operation = header.slice(service.target.length + 1);
    const input = JSON.parse(body) as Record<string, unknown>;
    requests.push({ operation, input });
    const refusal = faults.refusal(operation);
    if (refusal) throw new ServiceError(refusal.code, "Refused as planned.", refusal.status);
    const run = header.startsWith(`${service.target}.`) ? operations[operation] : undefined;
    if (!run) throw new ServiceError("UnknownOperationException", `No operation ${header} here.`);
    return run(input);
  }

  function answer(response: ServerResponse, status: number, body: Record<string, unknown>): void {
    response.writeHead(status, { "content-type": contentType, "x-amzn-requestid": randomUUID() });
    response.end(JSON.stringify(body));
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const header = String(request.headers["x-amz-target"]);
      try {
        if (request.headers["content-type"] !== contentType) throw new ServiceError("SerializationException", "Type?");
        const output = serve(header, Buffer.concat(chunks).toString());
        if (faults.losesAnswer(header.slice(service.target.length + 1))) request.socket.destroy();
        else answer(response, 200, output);
      } catch (error) {
        const known = error instanceof ServiceError ? error : new ServiceError("InternalFailure", String(error), 500);
        answer(response, known.status, { __type: known.code, message: known.message });
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    faults,
    requests,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped());
        server.closeAllConnections();
      }),
  };
}
