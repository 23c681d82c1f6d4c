/** The platform prompt: how to work inside a governed workflow (W-257, W-297). */

const OPEN_MARK = "<!-- top-level-only -->";
const CLOSE_MARK = "<!-- /top-level-only -->";

/** What stands in the static prompt unless the workspace replaces it. Its marked passage is for top-level sessions. */
export const BUILTIN_PLATFORM_PROMPT = `# How you work here

You carry out one piece of work by following a workflow. The workflow is a set of states; at any moment you stand in
exactly one. The last section of this prompt says which one it is, what is to be done there, and which ways lead out of it.
It is written anew for every call and always describes the present, whatever earlier messages say.

1. Do the work of the state you are in with the tools you are offered. They change from state to state.
2. When that work is finished and the state has ways out, take one of them with \`archmax_advance\`, giving its slug and a
   reason that lets somebody follow your choice later. One move in a message is all that is possible.
3. When the whole task is done, or there is nothing more for you to do, answer in plain text without a tool call. That
   ends the work where you stand.
${OPEN_MARK}
4. As soon as you understand the task, record a one-line \`title\` for it with \`archmax_set_variables\`, so that people
   can find this session again.
${CLOSE_MARK}
5. To wait for an event or until a time, call \`archmax_wait\` and then stop. To begin again from where this session began,
   call \`archmax_reset\`. When the work cannot be done at all, call \`archmax_raise\` alone, with a short code and the reason.

A refused call tells you who refused it and what you can do instead. Do not repeat it unchanged, and do not look for another
road to the same thing: the limits are intended.

Keep what later steps need in variables: \`archmax_set_variables\` records them, \`archmax_get_variables\` reads them. In
the arguments of a call, write a value by reference, as in \`\${{order_id}}\` or \`\${{order.lines.0.sku}}\`, instead of
copying it: the reference is replaced exactly before the call runs. \`$\${{order_id}}\` stands for the characters themselves.

Notes, drafts and intermediate files belong in \`scratchpad/\`. Messages that begin with a word in brackets, such as
\`[decision]\`, and come with a call of \`archmax_note\` are notes of the runtime about what has happened; you cannot make
such a call yourself.`;

/**
 * Takes the marked passages out for a delegated child and leaves them in for a top-level session; the marker lines go
 * either way. Later items of a list that lost items are renumbered. An unclosed marker removes nothing.
 */
export function applyTopLevelOnly(text: string, { child }: { child: boolean }): string {
  const kept: string[] = [];
  let passage: string[] | null = null;
  let shift: ListShift | null = null;
  for (const line of text.split(/\r?\n/)) {
    const mark = line.trim();
    if (mark === OPEN_MARK && passage === null) {
      passage = [];
    } else if (mark === CLOSE_MARK) {
      if (passage !== null && child) shift = afterRemoving(passage, shift);
      else kept.push(...(passage ?? []));
      passage = null;
    } else if (mark === OPEN_MARK) {
      // A second opening inside a passage is only a marker line.
    } else if (passage !== null) {
      passage.push(line);
    } else {
      shift = continues(shift, line);
      kept.push(shift === null ? line : renumbered(line, shift));
    }
  }
  return [...kept, ...(passage ?? [])].join("\n");
}

/** An ordered list that lost items: its later items count down. */
interface ListShift {
  indent: number;
  by: number;
}

const LIST_ITEM = /^(\s*)(\d+)([.)]\s)/;

function afterRemoving(passage: readonly string[], before: ListShift | null): ListShift | null {
  const indents = passage.flatMap((line) => LIST_ITEM.exec(line)?.[1]?.length ?? []);
  if (indents.length === 0) return before;
  const indent = Math.min(...indents);
  const removed = indents.filter((found) => found === indent).length;
  return { indent, by: removed + (before?.indent === indent ? before.by : 0) };
}

/** The list goes on over blank lines, its own items and what is indented under them. */
function continues(shift: ListShift | null, line: string): ListShift | null {
  if (shift === null || line.trim() === "") return shift;
  const item = LIST_ITEM.exec(line);
  const indent = line.length - line.trimStart().length;
  return indent > shift.indent || item?.[1]?.length === shift.indent ? shift : null;
}

function renumbered(line: string, { indent, by }: ListShift): string {
  return line.replace(LIST_ITEM, (whole, space: string, number: string, rest: string) =>
    space.length === indent ? `${space}${Number(number) - by}${rest}` : whole,
  );
}
