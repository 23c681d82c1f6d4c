/**
 * The file of a cassette. Whatever several requests share is written once: system prompts and lists of tools by name, and
 * of a conversation only what was said since the exchange it goes on from.
 *
 * ```yaml
 * texts: { s1: "You work the refund desk …" }
 * tools: { t1: [read_file 3f2a9c1b77d0] }
 * exchanges:
 *   - role: agent
 *     system: [s1]
 *     tools: t1
 *     said: [{ user: Please refund order NL-204. }]
 *     reply: { calls: [{ name: read_file, args: { file_path: order.json } }] }
 *   - role: agent
 *     after: 1 # its messages and its answer come first
 *     system: [s1]
 *     tools: t1
 *     said: [{ tool: read_file, text: "…" }]
 *     reply: { text: It is refunded. }
 * ```
 */
import { parseDocument, stringify } from "yaml";
import { z } from "zod";
import type { TokenCounts } from "../../models/index.js";
import { InvalidCassetteError } from "./errors.js";
import { answerMessage, type NormalMessage, type RunFacts, sameMessage } from "./normal-form.js";
import type { Exchange, RecordedReply } from "./types.js";

const HEAD = `# What this case's models were asked, and what they answered. parkway test replays it; parkway test --record makes it anew.
`;

const call = z.strictObject({
  name: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
  problem: z.string().optional(),
});
const plainCall = call.omit({ problem: true });
const message = z.union([
  z.strictObject({ user: z.string() }),
  z.strictObject({ assistant: z.string(), calls: z.array(plainCall).optional() }),
  z.strictObject({
    tool: z.string(),
    text: z.string(),
    status: z.literal("error").optional(),
    picture: z.string().optional(),
  }),
]);
const count = z.int().min(0);
const reply = z.strictObject({
  text: z.string().default(""),
  calls: z.array(call).default([]),
  model: z.string().optional(),
  usage: z
    .strictObject({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count.default(0),
      cacheCreationTokens: count.default(0),
    })
    .optional(),
});
const exchange = z.strictObject({
  role: z.enum(["agent", "grader", "judge"]),
  model: z.string().optional(),
  /** From 1. */
  after: z.int().min(1).optional(),
  system: z.array(z.string()),
  tools: z.string().optional(),
  said: z.array(message).default([]),
  reply,
});
const cassette = z.strictObject({
  version: z.literal(1),
  texts: z.record(z.string(), z.string()).default({}),
  tools: z.record(z.string(), z.array(z.string())).default({}),
  exchanges: z.array(exchange),
});

type StoredExchange = z.input<typeof exchange>;

/** The same exchanges give the same text, on every machine. */
export function cassetteText(exchanges: readonly Exchange[], run: RunFacts): string {
  const texts = new Names("s");
  const tools = new Names("t");
  const stored = exchanges.map(({ request, reply: answer }, index): StoredExchange => {
    const after = continuedFrom(exchanges.slice(0, index), request.messages, run);
    return {
      role: request.role,
      ...(request.model === undefined ? {} : { model: request.model }),
      ...(after === undefined ? {} : { after: after.exchange }),
      system: request.system.map((text) => texts.of(text)),
      ...(request.tools.length === 0 ? {} : { tools: tools.of(request.tools.join("\n")) }),
      ...(request.messages.length === (after?.messages ?? 0)
        ? {}
        : { said: request.messages.slice(after?.messages ?? 0) }),
      reply: storedReply(answer),
    };
  });
  const document = {
    version: 1,
    texts: texts.all((text) => text),
    tools: tools.all((lines) => lines.split("\n")),
    exchanges: stored,
  };
  return `${HEAD}${stringify(document, { lineWidth: 0, blockQuote: "literal", aliasDuplicateObjects: false })}`;
}

/** @throws {InvalidCassetteError} */
export function parseCassette(source: string, file: string, run: RunFacts): Exchange[] {
  const document = parseDocument(source, { uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new InvalidCassetteError(
      file,
      document.errors.map(({ message }) => message.split("\n")[0] ?? message),
    );
  }
  const parsed = cassette.safeParse(document.toJS({ maxAliasCount: 0 }));
  if (!parsed.success) {
    throw new InvalidCassetteError(
      file,
      parsed.error.issues.map(({ path, message }) => `${path.join(".") || "top"}: ${message}`),
    );
  }
  const { texts, tools, exchanges } = parsed.data;
  const read: Exchange[] = [];
  for (const [index, { role, model, after, system, tools: offered, said, reply: answer }] of exchanges.entries()) {
    const named = <Value>(table: Record<string, Value>, name: string): Value => {
      const value = Object.hasOwn(table, name) ? table[name] : undefined;
      if (value !== undefined) return value;
      throw new InvalidCassetteError(file, [`exchanges.${index}: names ${name}, which is not there`]);
    };
    const before = after === undefined ? undefined : read[after - 1];
    if (after !== undefined && before === undefined) {
      throw new InvalidCassetteError(file, [`exchanges.${index}: goes on after ${after}, which is not before it`]);
    }
    read.push({
      request: {
        role,
        ...(model === undefined ? {} : { model }),
        system: system.map((name) => named(texts, name)),
        tools: offered === undefined ? [] : named(tools, offered),
        messages: [...(before ? upTo(before, run) : []), ...(said as NormalMessage[])],
      },
      reply: answer,
    });
  }
  return read;
}

/** The conversation of an exchange, its answer included. */
function upTo({ request, reply: answer }: Exchange, run: RunFacts): NormalMessage[] {
  return [...request.messages, answerMessage(answer, run)];
}

/** The latest exchange whose conversation these messages begin with, from 1, and how many messages that is. */
function continuedFrom(earlier: readonly Exchange[], messages: readonly NormalMessage[], run: RunFacts) {
  for (let index = earlier.length - 1; index >= 0; index--) {
    const begun = upTo(earlier[index]!, run);
    const same = begun.length <= messages.length && begun.every((said, at) => sameMessage(said, messages[at]!));
    if (same) return { exchange: index + 1, messages: begun.length };
  }
  return undefined;
}

function storedReply({ text, calls, model, usage }: RecordedReply): StoredExchange["reply"] {
  return {
    ...(text === "" ? {} : { text }),
    ...(calls.length === 0 ? {} : { calls }),
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage: countsOf(usage) }),
  };
}

/** A count of a cache that had no part is left out. */
function countsOf({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }: TokenCounts) {
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens === 0 ? {} : { cacheReadTokens }),
    ...(cacheCreationTokens === 0 ? {} : { cacheCreationTokens }),
  };
}

/** Gives every different text a name of its own, in the order they come. */
class Names {
  readonly #names = new Map<string, string>();
  constructor(readonly prefix: string) {}

  of(text: string): string {
    const name = this.#names.get(text) ?? `${this.prefix}${this.#names.size + 1}`;
    this.#names.set(text, name);
    return name;
  }

  all<Value>(made: (text: string) => Value): Record<string, Value> {
    return Object.fromEntries([...this.#names].map(([text, name]) => [name, made(text)]));
  }
}
