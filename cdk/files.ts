/** The bucket: session files, values too large for an item, uploads that wait. */
import { Duration, RemovalPolicy } from "aws-cdk-lib";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { accept } from "./nag.js";

/** How long a version that was replaced or deleted can be brought back. */
const NONCURRENT_DAYS = 30;

/**
 * Kept environments keep versions for a while, against mistakes; deleting a session removes all of its versions at once
 * (F-47). Nothing current expires here: which object is no longer needed, the engine knows (S-79, S-81).
 *
 * A bucket that holds objects is not deleted with a `destroy` environment: emptying it would take a function of the stack's
 * that may delete everything. Empty it before.
 */
export function createBucket(scope: Construct, { key, removal }: { key: IKey; removal: "retain" | "destroy" }): Bucket {
  const isKept = removal === "retain";
  const bucket = new Bucket(scope, "Bucket", {
    encryption: BucketEncryption.KMS,
    encryptionKey: key,
    bucketKeyEnabled: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: isKept,
    lifecycleRules: [
      { id: "incomplete-uploads", abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ...(isKept
        ? [
            {
              id: "noncurrent-versions",
              noncurrentVersionExpiration: Duration.days(NONCURRENT_DAYS),
              expiredObjectDeleteMarker: true,
            },
          ]
        : []),
    ],
    removalPolicy: isKept ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  });
  accept(
    bucket,
    "S1",
    "Only the functions' roles reach it. A log would keep names of sessions and files after the sessions were deleted; " +
      "whoever must audit access turns on CloudTrail's data events.",
  );
  return bucket;
}
