/** What has to be true of the demo, asked of the stores and the outbox, not of what was printed. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { GovernedAgent } from "../../agent.js";
import { EXPECTED_TRAIL, type Story } from "./story.js";

/** One sentence for each thing that did not happen. */
export async function checkStory(
  story: Story & { sessionId: string; reader: GovernedAgent; outbox: string },
): Promise<string[]> {
  const { waiting, early, asking, killed, final, reader, sessionId, outbox } = story;
  const trail = (await reader.sessions.trail(sessionId)).map((step) => [step.kind, step.to]);
  const refunds = refundsIn(outbox);
  const letters = existsSync(join(outbox, "letters")) ? readdirSync(join(outbox, "letters")).length : 0;
  const claims: [boolean, string][] = [
    [waiting?.status === "awaiting_input" && waiting.resumeAt !== undefined, "the session parked until a time"],
    [JSON.stringify(early) === '{"due":0,"woken":0}', "the sweep before that time woke nothing"],
    [asking?.status === "awaiting_decision" && asking.state === "review", "the session parked for a person"],
    [killed.signal === "SIGKILL", "the first worker was killed"],
    [killed.left?.status === "running", "the killed worker left the turn unfinished"],
    [
      final?.status === "completed" && final.variables?.outcome?.value === "refunded",
      "the session completed as refunded",
    ],
    [JSON.stringify(trail) === JSON.stringify(EXPECTED_TRAIL), "the trail shows each move once"],
    [refunds === 1, `one refund was paid (found ${refunds})`],
    [letters === 1, `one letter was sent (found ${letters})`],
  ];
  return claims.filter(([holds]) => !holds).map(([, claim]) => `It did not hold that ${claim}.`);
}

function refundsIn(outbox: string): number {
  const file = join(outbox, "ledger.db");
  if (!existsSync(file)) return 0;
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return Number(db.prepare("SELECT COUNT(*) AS count FROM refunds").get()?.count ?? 0);
  } finally {
    db.close();
  }
}
