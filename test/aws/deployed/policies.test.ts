import { describe, expect, it } from "vitest";
import { allows, type Statement } from "./policies.js";

const TABLE = "arn:aws:dynamodb:eu-central-1:111122223333:table/T";

function statement(more: Partial<Statement> = {}): Statement {
  return { effect: "Allow", actions: ["dynamodb:PutItem"], resources: [TABLE], conditions: {}, ...more };
}

describe("permissions of a role", () => {
  const need = { action: "dynamodb:PutItem", resource: TABLE, context: { "dynamodb:LeadingKeys": ["S#1"] } };

  it.each<[string, Statement[], boolean]>([
    ["the action on the resource", [statement()], true],
    ["the action in another case", [statement({ actions: ["dynamodb:putitem"] })], true],
    ["a pattern of actions", [statement({ actions: ["dynamodb:*Item"] })], true],
    ["a pattern of resources", [statement({ resources: ["arn:aws:dynamodb:*:*:table/?"] })], true],
    ["another action", [statement({ actions: ["dynamodb:GetItem"] })], false],
    ["an index of the table", [statement({ resources: [`${TABLE}/index/due`] })], false],
    ["a condition that is met", [leading("StringLike", ["S#*"])], true],
    ["a condition for all values", [leading("ForAllValues:StringLike", ["S#*", "R#*"])], true],
    ["a condition that is not met", [leading("StringEquals", ["S#2"])], false],
    ["a condition on what is not known", [statement({ conditions: { StringEquals: { "aws:tag": "x" } } })], false],
    ["a denial beside it", [statement(), statement({ effect: "Deny", actions: ["*"], resources: ["*"] })], false],
    ["nothing", [], false],
  ])("%s", (_name, statements, expected) => {
    expect(allows(statements, need)).toBe(expected);
  });

  function leading(operator: string, keys: string[]): Statement {
    return statement({ conditions: { [operator]: { "dynamodb:LeadingKeys": keys } } });
  }
});
