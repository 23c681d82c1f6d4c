import { describe, expect, it } from "vitest";
import { toCallError } from "./call-error.js";
import { ModelCallError, ModelScriptExhaustedError } from "./errors.js";
import { sanitizeErrorText } from "./sanitize.js";

describe("sanitizeErrorText", () => {
  it.each([
    ["a query string", "GET https://api.example/v1/x?key=abc123&sig=q failed", "abc123"],
    ["user information in an address", "https://user:hunter2@api.example/v1 refused", "hunter2"],
    ["a bearer token", "sent Authorization: Bearer abc.def-123", "abc.def-123"],
    ["basic credentials", 'header "authorization": "Basic dXNlcjpwdw=="', "dXNlcjpwdw"],
    ["a key in the provider's words", "Incorrect API key provided: sk-proj-12***89. See the docs.", "sk-proj"],
    ["a named key", '{"api_key": "topsecretvalue"}', "topsecretvalue"],
    ["an access token", "access_token=ya29.abcdef", "ya29"],
    ["a signed token", "token eyJhbGciOi.eyJzdWIiOiI.sig refused", "eyJhbGciOi"],
  ])("F-101 removes %s", (_, text, secret) => {
    expect(sanitizeErrorText(text)).not.toContain(secret);
  });

  it("F-101 keeps the address's path and the reason", () => {
    expect(sanitizeErrorText("GET https://api.example/v1/x?k=1: model `m` does not exist")).toBe(
      "GET https://api.example/v1/x: model `m` does not exist",
    );
  });

  it("F-101 removes a configured secret of any form, and cuts a long quote", () => {
    expect(sanitizeErrorText("it said plain-words", ["plain-words"])).toBe("it said [removed]");
    expect(sanitizeErrorText("x".repeat(5_000)).length).toBeLessThan(1_100);
  });
});

describe("toCallError", () => {
  it("F-101 keeps status and code, and drops the original with its headers", () => {
    const original = Object.assign(new Error("429 slow down https://m/v1?key=v"), {
      status: 429,
      code: "rate_limit",
      headers: { authorization: "Bearer v" },
    });

    const error = toCallError(original, []);

    expect(error).toBeInstanceOf(ModelCallError);
    expect(error).toMatchObject({ status: 429, providerCode: "rate_limit" });
    expect(error.cause).toBeUndefined();
    expect(JSON.stringify(error)).not.toContain("key=v");
  });

  it("finds our own error behind the client's wrapping", () => {
    const ours = new ModelScriptExhaustedError("s.yaml", "agent", 1, "call 2");

    expect(toCallError(new Error("Connection error.", { cause: ours }), [])).toBe(ours);
  });
});
