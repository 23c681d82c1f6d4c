import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DIAGNOSTIC_CODES, isDiagnosticCode, makeDiagnostic, nearest, orderDiagnostics } from "./index.js";

describe("diagnostics", () => {
  it("W-1 W-2 derives class, severity and field from the code and the path", () => {
    expect(
      makeDiagnostic("transition/undefined-target", "M", { path: ["states", "a.b", "transitions", 0, "to"] }),
    ).toEqual({
      code: "transition/undefined-target",
      severity: "error",
      class: "load",
      message: "M",
      field: "states.a.b.transitions.0.to",
      path: ["states", "a.b", "transitions", 0, "to"],
    });
    expect(makeDiagnostic("skills/unknown", "M")).toMatchObject({ severity: "error", class: "check" });
    expect(makeDiagnostic("case/unknown-state", "M", { file: "f", line: 1, column: 2 })).toMatchObject({
      severity: "warning",
      class: "warn",
      line: 1,
    });
  });

  it("W-1 W-3 W-292 W-293 knows the contract's codes with their classes, and no other", () => {
    expect({ ...DIAGNOSTIC_CODES }).toEqual(contractCodes());
    expect(isDiagnosticCode("schema/null")).toBe(true);
    expect(isDiagnosticCode("constructor")).toBe(false);
  });

  it("W-292 W-293 has the codes of the contract's tables, each in its class, and no other", () => {
    const text = readFileSync(new URL("../../docs/contract/workflow-yaml.md", import.meta.url), "utf8");
    const [, diagnostics = "", removed = ""] = text.split(/^## 2[789]\. .*$/m);
    const codesIn = (cell: string) => [...cell.matchAll(/`([a-z-]+\/[a-z-]+)`/g)].map(([, code]) => code!);
    const ofClass = (heading: string) =>
      (diagnostics.split(/^### /m).find((part) => part.startsWith(heading)) ?? "")
        .split("\n")
        .flatMap((row) => codesIn(row.split("|")[1] ?? ""));
    const removedRows = removed.split("\n").filter((row) => row.includes("`removed/"));
    const removedOf = (isCheck: boolean) =>
      removedRows
        .filter((row) => row.includes("(check)") === isCheck)
        .flatMap((row) => codesIn(row.split("|")[3] ?? ""));
    const contract = {
      load: [...ofClass("Load"), ...removedOf(false)],
      check: [...ofClass("Check"), ...removedOf(true)],
      warn: ofClass("Warn"),
    };
    const built = Object.groupBy(Object.entries(DIAGNOSTIC_CODES), ([, group]) => group);

    for (const group of ["load", "check", "warn"] as const) {
      expect(built[group]?.map(([code]) => code).sort(), group).toEqual([...new Set(contract[group])].sort());
    }
  });

  it("W-16 offers the nearest word within two edits", () => {
    expect(nearest("transtions", ["title", "transitions"])).toBe("transitions");
    expect(nearest("titel", ["title", "tests"])).toBe("title");
    expect(nearest("foo", ["title", "tests"])).toBeUndefined();
    expect(nearest("tixyz", ["title"])).toBeUndefined();
  });

  it("W-4 W-288 orders findings by pass, then within the state pass by state", () => {
    const of = (code: Parameters<typeof makeDiagnostic>[0], ...path: string[]) => makeDiagnostic(code, "M", { path });
    const inOrder = [
      of("workflow/slug"),
      of("schema/type", "title"),
      of("trigger/none", "states"),
      of("root/no-instructions", "instructions"),
      of("runtime/unsupported-version", "runtime"),
      of("skills/unknown", "skills"),
      of("mounts/unknown", "mounts"),
      of("tools/forbids-advance", "tools"),
      of("state/slug", "states", "b"),
      of("human/no-instructions", "states", "b"),
      of("code/script-missing", "states", "b"),
      of("path/leading-slash", "states", "b"),
      of("tools/denied-grant", "states", "b"),
      of("state/inert-key", "states", "a"),
      of("subworkflow/missing"),
      of("case/schema"),
    ];
    expect(orderDiagnostics(inOrder.toReversed(), ["b", "a"])).toEqual(inOrder);
  });
});

/** The codes of the contract's tables, sections 27 and 28. */
function contractCodes(): Record<string, string> {
  const chapter = readFileSync(new URL("../../docs/contract/workflow-yaml.md", import.meta.url), "utf8");
  const [, diagnostics = "", removed = ""] = chapter.split(/^## (?:27\. Diagnostics|28\. Removed keys|29\. .*)$/m);
  const codes: Record<string, string> = {};
  for (const section of diagnostics.split(/^### /m).slice(1)) {
    const found = /^(Load|Check|Warn)/.exec(section)?.[1]?.toLowerCase() ?? "";
    for (const [, cell = ""] of section.matchAll(/^\| (`[^|]*`) \|/gm)) {
      for (const [, code] of cell.matchAll(/`([a-z-]+\/[a-z-]+)`/g)) codes[code!] = found;
    }
  }
  for (const [, code, noted] of removed.matchAll(/`(removed\/[a-z-]+)`(?: \((check|warn)\))?/g)) {
    codes[code!] = noted ?? "load";
  }
  return codes;
}
