import { describe, expect, it } from "vitest";
import { readJudgeAnswer } from "./answer.js";

describe("readJudgeAnswer", () => {
  it.each([
    ['{"score":0.8,"pass":true,"reason":"Fine."}', { score: 0.8, reason: "Fine." }],
    ['```json\n{"score": 1}\n```', { score: 1 }],
    [
      'I think {this} is it: {"score":0.5,"reason":"a } in a text"} and {"score":0}',
      { score: 0.5, reason: "a } in a text" },
    ],
    ['{"score":0.2,"more":{"deep":"\\"}"}}', { score: 0.2 }],
    ['{"score":7}', { score: 1 }],
    ['{"score":-1,"pass":true}', { score: 0 }],
    ['{"score":"0.9"}', { score: null }],
    ['{"pass":true,"reason":"no score"}', { score: null, reason: "no score" }],
    ["{ not json } and {}", { score: null }],
  ])("C-41 C-39 reads %s", (text, answer) => {
    expect(readJudgeAnswer(text)).toEqual(answer);
  });

  it.each(["", "no braces", "{", '{"score":0.5', "{{{", "[1,2]", '{"score":0.5,}', '"{'])(
    "C-41 finds no object in %s",
    (text) => {
      expect(readJudgeAnswer(text)).toBeNull();
    },
  );

  it("C-41 gives up on a flood of braces", () => {
    expect(readJudgeAnswer("{".repeat(1_000_000))).toBeNull();
  });
});
