/**
 * S3 on this machine: an emulator of the object requests, and in front of it what it does not do, by the service's rules:
 * conditional writes, checksums, listings in key order, versions, and refusals of what neither knows.
 */
import type { AddressInfo } from "node:net";
import { S3Client } from "@aws-sdk/client-s3";
import { type BuildAppOptions, buildApp } from "fauxqs";
import { localClientOptions } from "./client-options.js";
import { type Faults, plannedFaults } from "./faults.js";
import { errorXml, listingOf, removeBatch } from "./s3-listings.js";
import { type EmulatedBuckets, type VersionedObjects, versionedObjects } from "./s3-objects.js";
import { operationOf, plainRefusal, type Refusal, type S3Request, single } from "./s3-request.js";

type App = ReturnType<typeof buildApp>;
type AppRequest = App extends { inject: unknown } ? Parameters<Parameters<App["route"]>[0]["handler"]>[0] : never;

export interface LocalS3 {
  endpoint: string;
  faults: Faults;
  /** Every request that came, as `<operation> <key>`. */
  requests: string[];
  client(): S3Client;
  createBucket(name: string, options?: { isVersioned: true }): void;
  /** Every version of every object, marks of removals included. */
  versions(bucket: string): { key: string; isMark: boolean }[];
  stop(): Promise<void>;
}

export async function startS3(): Promise<LocalS3> {
  const store = await emulatedStore();
  const app = buildApp({ logger: false, stores: { s3Store: store } as unknown as BuildAppOptions["stores"] });
  const objects = versionedObjects(store.buckets);
  const faults = plannedFaults();
  const requests: string[] = [];
  const losing = new WeakSet<object>();

  // Neither this nor what the emulator does with an object waits for anything: deciding and writing are one.
  app.addHook("preHandler", (request, reply, proceed) => {
    const asked = readRequest(request);
    const operation = operationOf(asked);
    requests.push(`${operation} ${asked.key}`.trimEnd());
    const planned = faults.refusal(operation);
    if (!planned && faults.losesAnswer(operation)) losing.add(request);
    const answer = planned ? { ...planned, message: "Refused as planned." } : answerOf(asked, objects, faults);
    if (answer === null) return proceed();
    const body = typeof answer === "string" ? answer : errorXml(answer);
    const status = typeof answer === "string" ? 200 : answer.status;
    reply.code(status).header("content-type", "application/xml");
    reply.send(asked.method === "HEAD" ? undefined : body);
  });
  app.addHook("onSend", (request, _reply, payload, proceed) => {
    if (losing.has(request)) request.raw.socket.destroy();
    const isGarbled = Buffer.isBuffer(payload) && faults.garblesAnswer(operationOf(readRequest(request)));
    proceed(null, isGarbled ? Buffer.from(payload.map((byte, index) => (index === 0 ? byte ^ 1 : byte))) : payload);
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  const endpoint = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  return {
    endpoint,
    faults,
    requests,
    client: () => new S3Client({ ...localClientOptions(endpoint), forcePathStyle: true }),
    createBucket(name, options) {
      store.createBucket(name);
      if (options?.isVersioned) objects.keepVersions(name);
    },
    versions: (bucket) => objects.versions(bucket, "").map(({ key, object }) => ({ key, isMark: object === null })),
    stop: async () => app.close(),
  };
}

/** The answer that stands in for the emulator's, or null for a request that it is to serve. */
function answerOf(request: S3Request, objects: VersionedObjects, faults: Faults): string | Refusal | null {
  const refusal = plainRefusal(request);
  if (refusal) return refusal;
  const { bucket, key, method, query } = request;
  const operation = operationOf(request);
  if (operation !== "PUT bucket" && !objects.hasBucket(bucket)) {
    return { status: 404, code: "NoSuchBucket", message: "The specified bucket does not exist." };
  }
  if (operation === "ListObjects" || operation === "ListObjectVersions") {
    return "lifecycle" in query ? null : listingOf(objects, request);
  }
  if (operation === "DeleteObjects") return removeBatch(objects, faults, request);
  if (key === "") return null;
  const unmet = unmetCondition(request, objects);
  if (unmet) return unmet;
  if (method === "PUT") objects.beforeChange(bucket, key, "put");
  if (method === "DELETE") objects.beforeChange(bucket, key, "remove");
  return null;
}

/** Conditions of writes and removals, which the emulator does not look at. */
function unmetCondition({ method, bucket, key, headers }: S3Request, objects: VersionedObjects): Refusal | null {
  if (method !== "PUT" && method !== "DELETE") return null;
  const found = objects.current(bucket, key);
  const expected = single(headers["if-match"]);
  if (expected !== undefined && !found) {
    return { status: 404, code: "NoSuchKey", message: "The specified key does not exist." };
  }
  const isUnmet = (expected !== undefined && found?.etag !== expected) || (headers["if-none-match"] === "*" && found);
  if (!isUnmet) return null;
  return { status: 412, code: "PreconditionFailed", message: "A condition you specified did not hold." };
}

function readRequest(request: AppRequest): S3Request {
  const { bucket = "", "*": key = "" } = request.params as Record<string, string>;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.from((request.body as string | null) ?? "");
  const query = request.query as Record<string, string>;
  return { method: request.method, bucket, key, query, headers: request.headers, body };
}

interface EmulatedStore {
  buckets: EmulatedBuckets;
  createBucket(name: string): void;
}

/** The emulator does not export its store, which shows the objects that stand behind its answers. */
async function emulatedStore(): Promise<EmulatedStore> {
  const { S3Store } = await import(new URL("./s3/s3Store.js", import.meta.resolve("fauxqs")).href);
  return new S3Store() as EmulatedStore;
}
