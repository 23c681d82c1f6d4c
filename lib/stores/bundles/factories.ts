/** The session stores that a host can choose from (H-88). What a store needs is loaded when it is first used. */
import { resolve } from "node:path";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import { type Backend, createFilesystemBackend, createMemoryBackend, mountSubtree } from "../../workspace/index.js";
import { createBackendFileStore } from "../backend/file-store.js";
import { createBackendSessions } from "../backend/session-store.js";
import { createS3Backend } from "../s3/backend.js";
import { bundle } from "./create.js";
import type { SessionStore, StorePorts } from "./types.js";

/**
 * Sessions in a folder of this machine, for any number of processes: files at `<dir>/<sessionId>/<path>`, everything else in
 * an embedded SQLite database, `<dir>/.parkway/parkway.db`. Nothing is deleted outside of `dir`.
 *
 * @param options.dir - made when it is not there
 */
export function createFilesystemSessionStore(options: { dir: string }): SessionStore {
  const dir = resolve(options.dir);
  return bundle({
    kind: "filesystem",
    backend: createFilesystemBackend(dir),
    async open() {
      const [{ createSqliteSessionStore }, { createFilesystemFileStore }] = await Promise.all([
        import("../sqlite/index.js"),
        import("../filesystem/index.js"),
      ]);
      return {
        sessions: createSqliteSessionStore({ file: resolve(dir, ".parkway", "parkway.db") }),
        files: createFilesystemFileStore({ dir }),
      };
    },
  });
}

/**
 * Sessions on any backend, for **one process at a time**: a backend has no conditional write, so nothing could keep a second
 * process from deciding on what the first has just changed. Within the process, where all stores over one backend object
 * and prefix are one, and for the process after it, every guarantee holds. Records and checkpoints are documents under `.parkway/`, each written whole at every step.
 *
 * @param options.prefix - a folder of the backend; it is in no path that the runtime or an agent sees
 * @param options.deleteSession - removes all files below `/<sessionId>/`, where the backend has no `delete` or a quicker way
 * @param options.list - false where the backend cannot list; then sessions are in no list, and a new process finds none due
 */
export function createBackendSessionStore(options: {
  backend: Backend;
  prefix?: string;
  deleteSession?: (sessionId: string) => Promise<void>;
  list?: boolean;
}): SessionStore {
  const { prefix = "", deleteSession, list = true } = options;
  const isAtRoot = prefix.replaceAll("/", "") === "";
  const backend = isAtRoot ? options.backend : mountSubtree(options.backend, prefix);
  return bundle({
    kind: "backend",
    backend,
    capabilities: { list, delete: deleteSession !== undefined || backend.delete !== undefined },
    open: async () => {
      const { sessions, files } = sharedPorts(options.backend, {
        folder: prefix.replace(/^\/+|\/+$/g, ""),
        backend,
        list,
      });
      if (!deleteSession) return { sessions, files };
      return { sessions, files: createBackendFileStore(backend, { removeFiles: deleteSession }) };
    },
  });
}

/** Two stores of one process over the same place are one: what the first has decided, the second knows. */
const shared = new WeakMap<Backend, Map<string, StorePorts>>();

function sharedPorts(
  of: Backend,
  { folder, backend, list }: { folder: string; backend: Backend; list: boolean },
): StorePorts {
  const places = shared.get(of) ?? new Map<string, StorePorts>();
  shared.set(of, places);
  const known = places.get(folder);
  if (known) return known;
  const made = { sessions: createBackendSessions(backend, { canList: list }), files: createBackendFileStore(backend) };
  places.set(folder, made);
  return made;
}

/** Sessions that live and die with their process; nothing leaves it. */
export function createMemorySessionStore(): SessionStore {
  const backend = createMemoryBackend();
  return bundle({
    kind: "memory",
    backend,
    async open() {
      const memory = await import("../memory/index.js");
      return { sessions: memory.createMemorySessionStore(), files: createBackendFileStore(backend) };
    },
  });
}

/**
 * Sessions in AWS, for any number of processes: records, checkpoints and the index of what is due in a DynamoDB table, files
 * in a bucket. A lease in the record keeps a session to one writer. The deployment's construct makes both; see
 * `tableDefinition` for a table of your own.
 *
 * @param options.prefix - what all keys of the bucket begin with
 * @param options.client - clients that the caller made, and closes; made from the environment unless given
 */
export function createAwsSessionStore(options: {
  table: string;
  bucket: string;
  prefix?: string;
  client?: { dynamoDb?: DynamoDBClient; s3?: S3Client };
}): SessionStore {
  const { table, bucket, prefix, client = {} } = options;
  const place = {
    bucket,
    ...(prefix !== undefined ? { prefix } : {}),
    ...(client.s3 ? { client: client.s3 } : {}),
  };
  return bundle({
    kind: "aws",
    backend: createS3Backend(place),
    async open() {
      const [{ createDynamoSessionStore }, { createS3FileStore, createS3LargeValues }] = await Promise.all([
        import("../dynamodb/index.js"),
        import("../s3/index.js"),
      ]);
      return {
        sessions: createDynamoSessionStore({
          table,
          largeValues: createS3LargeValues(place),
          ...(client.dynamoDb ? { client: client.dynamoDb } : {}),
        }),
        files: createS3FileStore(place),
      };
    },
  });
}
