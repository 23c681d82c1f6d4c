/**
 * What each function may do, and why: the whole of its role. Written by hand from the requests that the adapters in
 * `lib/stores` send; a transaction needs the right of each kind of item in it, and none of its own.
 */

/** The functions of an environment; each is built in a folder of its name and has a role of its own. */
export const FUNCTION_NAMES = ["webhook", "api", "trigger", "turn", "wake"] as const;

/** One of `FUNCTION_NAMES`, by which functions and their permissions are told apart. */
export type FunctionName = (typeof FUNCTION_NAMES)[number];

/** What a permission is for: a part of the environment, or of its table or bucket. */
export type Place =
  | "table"
  /** Items of sessions, receipts and dead letters in it, and not those of API keys: no function can make itself one. */
  | "session-items"
  | "due-index"
  | "listing-index"
  /** Every object: session files lie at `<session id>/<path>`. */
  | "objects"
  /** Values too large for an item (S-74) and inputs too large for the inbox (S-11): `.parkway/values/*`. */
  | "values"
  /** Files of arrivals that no turn has taken yet (S-10): `.parkway/uploads/*`. */
  | "uploads"
  | "bucket"
  | "doorbell"
  /** Where the platform puts what a function did not take. */
  | "undelivered"
  | "bus"
  /** The secret that hashes of API keys are made with. */
  | "api-keys-secret"
  /** The function's own log group. */
  | "logs";

/** What a function may do at one place, and for what. */
export interface Permission {
  place: Place;
  actions: readonly string[];
  why: string;
  /** The platform uses it in the function's name, so no request of the function's code shows it. */
  byPlatform?: true;
}

const LOGS: Permission = {
  place: "logs",
  actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
  why: "its lines; the group is the stack's, so it may not make one (F-84)",
  byPlatform: true,
};

const ASYNC_DEAD_LETTERS: Permission = {
  place: "undelivered",
  actions: ["sqs:SendMessage"],
  why: "an asynchronous invocation that failed to the end (F-72)",
  byPlatform: true,
};

const RING: Permission = { place: "doorbell", actions: ["sqs:SendMessage"], why: "rings after accepting (S-13)" };

/** Removing a session for good takes every version of its objects (F-47). */
const DELETE_SESSIONS: readonly Permission[] = [
  {
    place: "session-items",
    actions: ["dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"],
    why: "strips the receipts of a deleted session and removes its items (S-84, S-87)",
  },
  { place: "bucket", actions: ["s3:ListBucketVersions"], why: "finds every version of a deleted session's objects" },
  { place: "objects", actions: ["s3:DeleteObjectVersion"], why: "removes them" },
];

/** Reading a session and accepting an arrival for it. Where the session has expired it is removed first (S-82). */
const ACCEPT: readonly Permission[] = [
  {
    place: "table",
    actions: ["dynamodb:BatchGetItem", "dynamodb:Query"],
    why: "receipts by id; record, inbox and thread of a session",
  },
  {
    place: "session-items",
    actions: ["dynamodb:PutItem", "dynamodb:UpdateItem"],
    why: "one transaction: receipt, inbox item, record with counter and due mark (S-1)",
  },
  {
    place: "session-items",
    actions: ["dynamodb:ConditionCheckItem", "dynamodb:DeleteItem"],
    why: "carries out a large commit that a turn left in the middle before anything else (S-78)",
  },
  { place: "values", actions: ["s3:GetObject", "s3:PutObject"], why: "inputs and values too large for an item (S-11)" },
  { place: "bucket", actions: ["s3:ListBucket"], why: "without it S3 answers 403 for an object that is not there" },
  RING,
  ...DELETE_SESSIONS,
];

/** All that each function may do: its role is made of it and holds nothing else. */
export const PERMISSIONS: Readonly<Record<FunctionName, readonly Permission[]>> = {
  webhook: [...ACCEPT, LOGS],
  api: [
    ...ACCEPT,
    { place: "uploads", actions: ["s3:PutObject"], why: "files that come with a message (S-10)" },
    { place: "uploads", actions: ["s3:GetObject"], why: "copies the files of a dead letter that is redriven (S-96)" },
    { place: "listing-index", actions: ["dynamodb:Query"], why: "lists sessions and dead letters (N-46)" },
    { place: "api-keys-secret", actions: ["secretsmanager:GetSecretValue"], why: "compares hashes of API keys (N-36)" },
    LOGS,
  ],
  trigger: [...ACCEPT, ASYNC_DEAD_LETTERS, LOGS],
  turn: [
    {
      place: "table",
      actions: ["dynamodb:BatchGetItem", "dynamodb:Query"],
      why: "record, inbox, thread and unpublished events of a session",
    },
    {
      place: "session-items",
      actions: ["dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem", "dynamodb:ConditionCheckItem"],
      why: "claims, renews, commits and settles, each under the fence (S-22…S-32); carries out large commits (S-78)",
    },
    { place: "objects", actions: ["s3:GetObject", "s3:PutObject"], why: "session files, spec snapshots, large values" },
    { place: "objects", actions: ["s3:DeleteObject"], why: "files that the agent deletes" },
    {
      place: "bucket",
      actions: ["s3:ListBucket"],
      why: "lists session files; tells an absent object from a refused one",
    },
    { ...RING, why: "hands a turn over to the next invocation (S-50); rings again after a pause (S-89)" },
    {
      place: "doorbell",
      actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
      why: "the event source mapping polls in the function's name",
      byPlatform: true,
    },
    { place: "bus", actions: ["events:PutEvents"], why: "publishes lifecycle events (S-97)" },
    ...DELETE_SESSIONS,
    LOGS,
  ],
  wake: [
    { place: "due-index", actions: ["dynamodb:Query"], why: "finds what falls due (S-64)" },
    { ...RING, why: "rings what falls due (S-58)" },
    {
      place: "table",
      actions: ["dynamodb:BatchGetItem", "dynamodb:Query"],
      why: "reads what still names an object, before it removes one that nothing names (S-79)",
    },
    { place: "values", actions: ["s3:GetObject"], why: "reads dead letters too large for an item" },
    { place: "bucket", actions: ["s3:ListBucket"], why: "finds values and uploads older than a day" },
    { place: "bucket", actions: ["s3:ListBucketVersions"], why: "finds every version of one that nothing names" },
    { place: "values", actions: ["s3:DeleteObjectVersion"], why: "removes values that nothing names" },
    { place: "uploads", actions: ["s3:DeleteObjectVersion"], why: "removes uploads of arrivals that are through" },
    ASYNC_DEAD_LETTERS,
    LOGS,
  ],
};
