/** The file of a scripted model: its two forms, read and checked (H-133). docs/scripted-model.md shows both. */
import { LineCounter, parseDocument } from "yaml";
import { z } from "zod";
import { InvalidModelScriptError } from "./errors.js";

const role = z.enum(["agent", "grader", "judge"]);

const toolCall = z.strictObject({
  name: z.string().min(1),
  args: z.record(z.string(), z.unknown()).default({}),
  id: z.string().min(1).optional(),
});

const replyFields = {
  role: role.default("agent"),
  text: z.string().optional(),
  toolCalls: z.array(toolCall).optional(),
  error: z.strictObject({ status: z.int().min(100).max(599).optional(), message: z.string() }).optional(),
  delayMs: z.number().min(0).optional(),
};

const listReply = z.strictObject(replyFields).superRefine(saysSomething);

const condition = z
  .strictObject({
    /** Slug of the state that the prompt names. */
    state: z.string().optional(),
    /** True for the reply-only calls of a park. */
    parked: z.boolean().optional(),
    /** 1 for the first call of the session's transcript. */
    call: z.int().min(1).optional(),
    /** 1 for the first call since somebody else spoke: a person, an event, a note of the runtime. */
    step: z.int().min(1).optional(),
    /** Occurs in the last message that is not the agent's own. */
    contains: z.string().min(1).optional(),
    /** A tool that the last step of the agent called. */
    after: z.string().min(1).optional(),
  })
  .refine((when) => Object.keys(when).length > 0, "names no condition; leave `when` out for a reply that always fits");

const usage = z.strictObject({
  inputTokens: z.int().min(0),
  outputTokens: z.int().min(0),
  cacheReadTokens: z.int().min(0).default(0),
  cacheCreationTokens: z.int().min(0).default(0),
});

const conditionalReply = z
  .strictObject({ ...replyFields, when: condition.optional(), usage: usage.optional() })
  .superRefine(saysSomething);

const scriptSchema = z.union([
  z.array(listReply).min(1),
  z.strictObject({ replies: z.array(conditionalReply).min(1) }),
]);

export type ScriptCondition = z.infer<typeof condition>;
/** One reply of either form. */
export type ScriptReply = z.infer<typeof conditionalReply>;

/** `queue`: every reply is used once, in order. `conditional`: the first whose `when` fits answers, as often as it fits. */
export interface ModelScript {
  file: string;
  kind: "queue" | "conditional";
  replies: readonly ScriptReply[];
}

/**
 * @param file - the name shown in errors
 * @throws {InvalidModelScriptError} with every problem and its line and column
 */
export function parseModelScript(text: string, file: string): ModelScript {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true });
  if (document.errors.length > 0) {
    throw new InvalidModelScriptError(
      file,
      document.errors.map((error) => `${place(lines, error.pos[0])}: ${error.message.split("\n")[0]}`),
    );
  }
  const raw: unknown = document.toJS({ maxAliasCount: 100 });
  const schema = Array.isArray(raw) ? scriptSchema.options[0] : scriptSchema.options[1];
  const parsed = schema.safeParse(raw);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => {
      const node = nearestNode(document, issue.path);
      const at = node?.range ? `${place(lines, node.range[0])} ` : "";
      return `${at}(${issue.path.join(".") || "top"}): ${sentenceOf(issue)}`;
    });
    throw new InvalidModelScriptError(file, problems);
  }
  const replies: readonly ScriptReply[] = Array.isArray(parsed.data) ? parsed.data : parsed.data.replies;
  const script: ModelScript = { file, kind: Array.isArray(parsed.data) ? "queue" : "conditional", replies };
  refuseUnreachable(script);
  return script;
}

/** Behind a reply that always fits, no further reply of its role is ever chosen. */
function refuseUnreachable({ file, kind, replies }: ModelScript): void {
  if (kind === "queue") return;
  const closed = new Set<string>();
  for (const [index, reply] of replies.entries()) {
    if (closed.has(reply.role)) {
      throw new InvalidModelScriptError(file, [
        `(replies.${index}): can never be chosen, because an earlier reply for the role ${reply.role} has no \`when\``,
      ]);
    }
    if (reply.when === undefined) closed.add(reply.role);
  }
}

function saysSomething(
  reply: { text?: string; toolCalls?: unknown[]; error?: unknown },
  context: z.core.$RefinementCtx,
): void {
  const answers = reply.text !== undefined || reply.toolCalls !== undefined;
  if (answers === (reply.error !== undefined)) {
    context.addIssue({ code: "custom", message: "needs either `text` or `toolCalls`, or `error` alone" });
  }
}

function sentenceOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "unrecognized_keys") return `does not know ${issue.keys.map((key) => `\`${key}\``).join(", ")}`;
  return issue.message;
}

type Located = { range?: [number, number, number] | null };

/** The node at a path, or the nearest one around it: a key that is missing has no place of its own. */
function nearestNode(document: ReturnType<typeof parseDocument>, path: readonly PropertyKey[]): Located | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (typeof node === "object" && node !== null && "range" in node) return node as Located;
  }
  return undefined;
}

function place(lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${line}:${col}`;
}
