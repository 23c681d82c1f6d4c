/**
 * The reference: a hand-written loop that makes the same model and tool calls with plain `fetch` and writes every step
 * durably, one SQLite insert each. It has no lease, no inbox, no governance.
 */
import { DatabaseSync } from "node:sqlite";
import { askModel, type Message } from "./ask-model.js";

export interface BareLoop {
  /** One turn of a conversation: reads its transcript, adds to it, answers. */
  turn(conversation: string, message: string): Promise<string>;
  /** Writes and bytes since the last look. */
  written(): { writes: number; bytes: number };
  close(): void;
}

export function createBareLoop(given: {
  file: string;
  url: string;
  tool: { name: string; parameters: unknown; run(part: string): string };
}): BareLoop {
  const { url, tool } = given;
  const db = new DatabaseSync(given.file);
  db.exec("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL");
  db.exec(
    "CREATE TABLE IF NOT EXISTS steps (conversation TEXT, step INTEGER, message TEXT, PRIMARY KEY (conversation, step))",
  );
  const insert = db.prepare("INSERT INTO steps VALUES (?, ?, ?)");
  const select = db.prepare("SELECT message FROM steps WHERE conversation = ? ORDER BY step");
  let count = { writes: 0, bytes: 0 };

  return {
    async turn(conversation, message) {
      const messages = select.all(conversation).map((row) => JSON.parse(String(row.message)) as Message);
      const add = (added: Message) => {
        const text = JSON.stringify(added);
        insert.run(conversation, messages.length, text);
        count.writes += 1;
        count.bytes += Buffer.byteLength(text);
        messages.push(added);
      };
      add({ role: "user", content: message });
      while (true) {
        const answer = await askModel(url, messages, tool);
        add(answer);
        if (!answer.tool_calls) return answer.content ?? "";
        for (const call of answer.tool_calls) {
          const { part } = JSON.parse(call.function.arguments) as { part: string };
          add({ role: "tool", tool_call_id: call.id, content: tool.run(part) });
        }
      }
    },
    written() {
      const seen = count;
      count = { writes: 0, bytes: 0 };
      return seen;
    },
    close: () => db.close(),
  };
}
