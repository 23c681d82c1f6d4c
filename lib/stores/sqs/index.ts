export { createSqsDoorbell, type SqsDoorbellOptions, sessionOfRing, UnusableQueueError } from "./doorbell.js";
