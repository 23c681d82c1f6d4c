import { expect, it } from "vitest";
import { LeaseLostError } from "../../lib/session/errors.js";
import { errorFields } from "./log.js";

it("F-101 keeps class, code and text of an error of ours", () => {
  const error = new LeaseLostError("visit-1", 3);

  expect(errorFields(error)).toEqual({
    error: "LeaseLostError",
    code: error.code,
    retryable: error.retryable,
    reason: error.message,
  });
});

it("F-101 N-41 keeps of others' errors where they came from and what the service says of itself, not their texts", () => {
  const error = Object.assign(new RangeError('The item {"plate":"KA 77"}\n    is too large'), {
    $metadata: { requestId: "r-1", httpStatusCode: 400 },
    cause: new TypeError("KA 77"),
  });

  const fields = errorFields(error);

  expect(fields).toMatchObject({ error: "RangeError", awsRequestId: "r-1", awsStatus: 400, cause: "TypeError" });
  expect(fields.at).toContain("log.test.ts");
  expect(JSON.stringify(fields)).not.toMatch(/KA 77|too large/);
});

it("F-101 says of a thrown value only what kind it is", () => {
  expect(errorFields("secret")).toEqual({ error: "string" });
});
