/** Small workflows that several files of this folder use. */
import type { ServerReply } from "../model-server/index.js";
import { advance, calls } from "./support.js";

/** One agent state that ends where it stands. */
export const ANSWERS = `
states:
  answer:
    triggers: { manual: }
    instructions: Answer.
`;

/** Work, a person's decision, and an end. */
export const REVIEWED = `
states:
  work:
    triggers:
      manual:
      ordered: { message: false }
    instructions: Work.
    transitions:
      - { to: review }
  review:
    type: human
    title: The review
    instructions: Decide whether it may go out.
    evidence: [scratchpad/draft.md]
    transitions:
      - { to: send, type: approve, description: It may go out. }
      - { to: work, type: refine, description: Change it. }
  send:
    instructions: Send it.
`;

/** An agent state that may wait and end. */
export const WAITS = `
states:
  work:
    triggers:
      manual:
      ordered: { message: order.note }
    instructions: Work or wait.
    transitions:
      - { to: done }
  done:
    instructions: Say goodbye.
`;

export const toReview = advance("review");
export const waitForReply: ServerReply = {
  text: "I wait.",
  ...calls(["archmax_wait", { reason: "The customer has to answer." }]),
};

/** A model that says the same whatever it is asked. */
export function always(text: string): () => ServerReply {
  return () => ({ text });
}

/** A promise and the function that settles it. */
export function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
