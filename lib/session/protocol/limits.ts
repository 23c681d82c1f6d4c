/** The numbers of the session protocol. Those of the specification stand beside their requirement. */

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** S-12: accepted and unsettled arrivals a session may have. */
export const INBOX_LIMIT = 1_000;

/** S-91: attempts without a committed step after which an arrival is given up. */
export const MAX_ATTEMPTS = 5;

/** S-89: the first pause between attempts, and the longest. */
export const RETRY_FIRST_MS = SECOND_MS;
export const RETRY_MAX_MS = 5 * MINUTE_MS;

/** F-27: the longest pause between attempts at a wake-up. */
export const WAKE_RETRY_MAX_MS = HOUR_MS;

/** S-19: how long a firing may be held. */
export const HELD_LIMIT_MS = 30 * DAY_MS;

/** S-24: how long a lease lasts. */
export const LEASE_MS = MINUTE_MS;

/** S-24: how often in its time a lease is renewed. */
export const RENEWALS = 3;

/** S-6: how long receipts are kept. */
export const RECEIPT_TTL_MS = 7 * DAY_MS;

/** S-81: how long sessions are kept once nothing is left to do in them; for ever unless given. */
export interface Retention {
  /** Completed, failed and rejected ones. */
  finishedMs?: number;
  /** Those that wait for a person or an event. */
  openMs?: number;
}

/** S-84: after it, a deletion that is not through is taken over: longer than any process works on one. */
export const DELETION_RETRY_MS = 15 * MINUTE_MS;

/** S-91: how long dead letters are kept. */
export const DEAD_LETTER_TTL_MS = 90 * DAY_MS;
