import { describe, expect, it } from "vitest";
import { readCredentials, readDays, readIamScopes, readVariables } from "./environment.js";
import { InvalidVariableError, MissingVariablesError } from "./errors.js";

describe("what a function is told by its environment", () => {
  it("H-126 names all variables that are missing, in one error", () => {
    const env = { PARKWAY_TABLE: "t", PARKWAY_BUCKET: "" };
    const read = () => readVariables(["PARKWAY_TABLE", "PARKWAY_BUCKET", "PARKWAY_BUS"], env);

    expect(read).toThrow(MissingVariablesError);
    expect(read).toThrow(/PARKWAY_BUCKET, PARKWAY_BUS/);
  });

  it.each([
    [undefined, undefined],
    ["", undefined],
    ["90", 90],
  ])("S-81 reads %j days as %j", (text, days) => {
    expect(readDays("PARKWAY_FINISHED_DAYS", { PARKWAY_FINISHED_DAYS: text })).toBe(days);
  });

  it.each(["0", "-1", "1.5", "soon", "1e3", "99999"])("S-81 refuses %j days", (text) => {
    expect(() => readDays("PARKWAY_OPEN_DAYS", { PARKWAY_OPEN_DAYS: text })).toThrow(InvalidVariableError);
  });

  it("N-36 takes API keys, SigV4 or both, and never neither", () => {
    const read = (text?: string) => readCredentials({ PARKWAY_CREDENTIALS: text });

    expect(read("api-key")).toEqual(["api-key"]);
    expect(read("api-key, iam")).toEqual(["api-key", "iam"]);
    for (const text of [undefined, "", "none", "api-key,", "iam,open"]) {
      expect(() => read(text)).toThrow(InvalidVariableError);
    }
  });

  it("N-36 reads scopes by ARN pattern, and refuses other shapes without repeating them", () => {
    const read = (text?: string) => readIamScopes({ PARKWAY_IAM_SCOPES: text });

    expect(read('{"arn:aws:iam::1:role/ops":["sessions:read"]}')).toEqual({
      "arn:aws:iam::1:role/ops": ["sessions:read"],
    });
    expect(read()).toEqual({});
    for (const text of ["[]", "null", "{", '{"arn":"all"}', '{"arn":[1]}']) {
      expect(() => read(text)).toThrow(/^The environment variable PARKWAY_IAM_SCOPES must be a JSON object/);
    }
  });
});
