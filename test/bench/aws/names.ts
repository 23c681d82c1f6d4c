/** What the services of the bench are called. */
export const BUCKET = "bench-files";
export const BUS = "bench";
export const QUEUE = "bench-doorbell";
