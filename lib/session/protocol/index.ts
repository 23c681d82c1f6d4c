export { decideAccept, isReceiptExpired } from "./accept.js";
export { decideCancel } from "./cancel.js";
export { type ClaimDecision, decideClaim } from "./claim.js";
export { decideClaimChild } from "./claim-child.js";
export { decideCommit, decideIsCancelled, decideRelease, decideRenew } from "./commit.js";
export {
  type Decision,
  isChild,
  isHeld,
  isLeaseAlive,
  type ReceiptChange,
  recordAfter,
  requireLease,
  type Writes,
} from "./decision.js";
export { decideBeginDelete, deletionGuard, goesWithChildren, strippedReceipt } from "./delete.js";
export { decideExpire, isExpired } from "./expiry.js";
export {
  DAY_MS,
  DEAD_LETTER_TTL_MS,
  DELETION_RETRY_MS,
  HELD_LIMIT_MS,
  INBOX_LIMIT,
  LEASE_MS,
  MAX_ATTEMPTS,
  RECEIPT_TTL_MS,
  RENEWALS,
  RETRY_FIRST_MS,
  RETRY_MAX_MS,
  type Retention,
  WAKE_RETRY_MAX_MS,
} from "./limits.js";
export { decidePublished } from "./published.js";
export { retryDelayMs } from "./retry.js";
export { decideHold, decideSettle } from "./settle.js";
export { dueMark, isHeldTooLong, isUndeliveredWake, nextWork } from "./work.js";
