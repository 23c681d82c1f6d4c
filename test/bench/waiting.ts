/** What the sections about parks share: a workflow that waits, and a time for it to wait for. */

export const DUE = Date.UTC(2100, 0, 1);

export const WAITING = `states:
  waiting:
    triggers: { manual: }
    instructions: Wait, then say that it is done.
`;
