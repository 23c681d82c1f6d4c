/** A DynamoDB to test and to measure against: the one at PARKWAY_TEST_DYNAMODB, else a local engine, which is there for one platform only. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createRequire } from "node:module";
import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { DeleteTableCommand, DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { ensureTable } from "../../lib/stores/dynamodb/index.js";

const ENGINE = "@dynoxide/linux-x64";
const READY_WITHIN_MS = 10_000;

export interface DynamoDb {
  readonly endpoint: string;
  client(config?: DynamoDBClientConfig): DynamoDBClient;
  /** A new, empty table's name. */
  table(): Promise<string>;
  /** Removes a table before its time: an engine of ours ends with all of its own, another one would keep it. */
  drop(table: string): Promise<void>;
}

/** An address, or the engine's program; null, with one line that says so, where there is neither. */
export function findDynamoDb(): string | null {
  const given = process.env.PARKWAY_TEST_DYNAMODB;
  if (given) return given;
  if (`${process.platform}-${process.arch}` !== "linux-x64") {
    console.info(
      `What needs DynamoDB is skipped: ${ENGINE} does not run here, and PARKWAY_TEST_DYNAMODB names no endpoint.`,
    );
    return null;
  }
  return join(dirname(createRequire(import.meta.url).resolve(`${ENGINE}/package.json`)), "dynoxide");
}

/** @param found - as `findDynamoDb` returns it */
export async function startDynamoDb(found: string): Promise<DynamoDb & { stop(): void }> {
  const isEndpoint = found.startsWith("http");
  const port = isEndpoint ? 0 : await freePort();
  const endpoint = isEndpoint ? found : `http://127.0.0.1:${port}`;
  const engine = isEndpoint ? null : await startEngine(found, port);
  const clients: DynamoDBClient[] = [];
  const client = (config: DynamoDBClientConfig = {}) => {
    const made = new DynamoDBClient({
      endpoint,
      region: "eu-central-1",
      ...(isEndpoint ? {} : { credentials: { accessKeyId: "test", secretAccessKey: "test" } }),
      ...config,
    });
    clients.push(made);
    return made;
  };
  const maker = client();
  return {
    endpoint,
    client,
    async table() {
      const name = `parkway-test-${randomUUID()}`;
      await ensureTable(maker, name);
      return name;
    },
    async drop(table) {
      await maker.send(new DeleteTableCommand({ TableName: table }));
    },
    stop() {
      for (const made of clients) made.destroy();
      engine?.kill();
    },
  };
}

async function startEngine(binary: string, port: number): Promise<ChildProcess> {
  const engine = spawn(binary, ["--host", "127.0.0.1", "--port", String(port)], { stdio: "ignore" });
  const until = Date.now() + READY_WITHIN_MS;
  while (!(await answers(port))) {
    if (engine.exitCode !== null || Date.now() > until) throw new Error(`${binary} did not start on port ${port}.`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return engine;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: "127.0.0.1", port });
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
