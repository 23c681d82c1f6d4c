export {
  createSqsDoorbell,
  RingNotSentError,
  type SqsDoorbellOptions,
  sessionOfRing,
  UnusableQueueError,
} from "./doorbell.js";
