/** Reading what a judge answers (C-41). Pure. */

export interface JudgeAnswer {
  /** From 0 to 1; null where the answer holds no number of that name. */
  score: number | null;
  reason?: string;
}

/** Starts of objects looked at: an answer with more braces than that is no answer. */
const MAX_STARTS = 200;

/** The first balanced `{…}` that parses to an object, whatever stands around it; null where there is none. */
export function readJudgeAnswer(text: string): JudgeAnswer | null {
  let start = text.indexOf("{");
  for (let tried = 0; start !== -1 && tried < MAX_STARTS; tried += 1) {
    const end = endOfObject(text, start);
    const found = end === -1 ? null : parsed(text.slice(start, end));
    if (found !== null) return answerOf(found);
    start = text.indexOf("{", start + 1);
  }
  return null;
}

function answerOf({ score, reason }: Record<string, unknown>): JudgeAnswer {
  return {
    score: typeof score === "number" && Number.isFinite(score) ? Math.min(1, Math.max(0, score)) : null,
    ...(typeof reason === "string" && reason.trim() !== "" ? { reason: reason.trim() } : {}),
  };
}

/** One past the brace that closes the object; -1 where none does. Braces within strings do not count. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quoted) {
      if (character === "\\") at += 1;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
