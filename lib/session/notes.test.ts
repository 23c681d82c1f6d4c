import { describe, expect, it } from "vitest";
import { openingNoteText } from "./notes.js";

/** A text that takes `chars` characters when it is quoted. */
const quoted = (chars: number) => "x".repeat(chars - 2);

describe("R-178 R-43 the opening note", () => {
  it("R-178 quotes each scalar in name order, and names the others apart", () => {
    const text = openingNoteText("manual", {
      b: "two",
      list: [1],
      a: 1,
      trigger: "manual",
      c: true,
      inner: {},
      n: null,
    });

    expect(text).toBe(
      'The trigger manual has fired. Variables: a = 1, b = "two", c = true. Also set, readable with archmax_get_variables: inner, list, n.',
    );
  });

  it("R-178 shows 200 characters of a value, and cuts one of 201", () => {
    expect(openingNoteText("manual", { a: quoted(200) })).toContain(`a = "${quoted(200)}".`);
    expect(openingNoteText("manual", { a: quoted(201) })).toContain(`a = "${"x".repeat(199)}….`);
  });

  it("R-178 shows 1,000 characters of all of them", () => {
    const values = { a: quoted(200), b: quoted(200), c: quoted(200), d: quoted(200) };
    const shown = (last: number) =>
      openingNoteText("manual", { ...values, e: quoted(last) }).slice("The trigger manual has fired. ".length);
    const room = 1_000 - shown(2).length + 2;

    expect(shown(room)).toHaveLength(1_000);
    expect(shown(room).endsWith('".')).toBe(true);
    expect(shown(room + 1)).toHaveLength(1_001);
    expect(shown(room + 1).endsWith('"…')).toBe(true);
  });
});
