/** Public list prices of us-east-1 in USD, before free tiers, by the services' own pricing pages. */
export const PRICES = {
  /** "Amazon DynamoDB pricing, on-demand capacity": Standard table class. */
  writeUnit: 0.625 / 1e6,
  readUnit: 0.125 / 1e6,
  tableGbMonth: 0.25,
  /** "Amazon S3 pricing": S3 Standard. */
  s3Put: 0.005 / 1e3,
  s3Get: 0.0004 / 1e3,
  s3GbMonth: 0.023,
  /** "Amazon SQS pricing": standard queues. */
  sqsRequest: 0.4 / 1e6,
  /** "Amazon EventBridge pricing": custom events. */
  busEvent: 1 / 1e6,
  /** "AWS Lambda pricing": requests, and duration on Arm. */
  lambdaRequest: 0.2 / 1e6,
  lambdaGbSecond: 0.0000133334,
  /** "Amazon API Gateway pricing": HTTP APIs. */
  httpApiRequest: 1 / 1e6,
} as const;
