import { describe, expect, it } from "vitest";
import { childSessionId, isChildSessionOf, parentSessionIdOf, sessionIdRejection } from "../spec/index.js";
import { SessionStoreIdError } from "./errors.js";
import { ownsPath, parseSessionId } from "./ids.js";

describe("session ids", () => {
  it.each([
    "ticket-1001",
    "run7/cases/x.test.yaml",
    "a~1",
    "a~1~2",
    "a/b~1",
    "/lead",
    "Ünï 漢",
    "a.b",
    "...",
    "%2e%2e",
  ])("R-2 H-91 takes %j", (id) => {
    expect(sessionIdRejection(id)).toBeNull();
  });

  it.each([
    ["a~", "~"],
    ["~1", "~"],
    ["a~0", "~"],
    ["a~01", "~"],
    ["a~x", "~"],
    ["a~1b", "~"],
    ["a~1/b", "~"],
    ["../x", '".."'],
    ["a/../b", '".."'],
    ["a/.", '"."'],
    ["", "empty"],
    ["/", "empty"],
    ["scratchpad", "runtime's"],
    ["/checkpoints/x", "runtime's"],
    ["_specs", "runtime's"],
    [".parkway/x", "runtime's"],
    ["workflows", "runtime's"],
    ["a/scratchpad", "area"],
    ["a/artifacts/b", "area"],
    ["a\\b", "backslash"],
    ["a\u0000", "control"],
    ["a\nb", "control"],
    ["a\u0085", "control"],
    ["é".repeat(257), "512 bytes"],
  ])("R-2 H-91 F-100 R-179 refuses %j and says why", (id, reason) => {
    expect(sessionIdRejection(id)).toContain(reason);
  });

  it("R-2 measures an id in UTF-8 bytes", () => {
    expect(sessionIdRejection("é".repeat(256))).toBeNull();
  });

  it("R-2 H-91 refuses the first segment of a declared mount, and only that", () => {
    const mounts = ["/skills/", "docs/guides"];

    expect(sessionIdRejection("skills/x", mounts)).toContain("mount");
    expect(sessionIdRejection("docs", mounts)).toContain("mount");
    expect(sessionIdRejection("guides", mounts)).toBeNull();
    expect(sessionIdRejection("a/skills", mounts)).toBeNull();
    expect(sessionIdRejection("a", ["/"])).toBeNull();
  });

  it("R-2 parses an id without its leading slashes, or throws naming it", () => {
    expect(parseSessionId("//a/b")).toBe("a/b");
    expect(() => parseSessionId("a/..")).toThrow(SessionStoreIdError);
    expect(() => parseSessionId("a/..")).toThrow('"a/.."');
  });

  it("H-92 names children and finds their callers", () => {
    expect(childSessionId("a/b", 3)).toBe("a/b~3");
    expect(parentSessionIdOf("a~1~2")).toBe("a~1");
    expect(parentSessionIdOf("a~1")).toBe("a");
    expect(parentSessionIdOf("a")).toBeNull();
    expect(isChildSessionOf("a~1~2", "a")).toBe(true);
    expect(isChildSessionOf("a~1", "a")).toBe(true);
    expect(isChildSessionOf("ab~1", "a")).toBe(false);
    expect(isChildSessionOf("a", "a")).toBe(false);
  });

  it("R-312 gives a path to the longest id that names a session, and areas to the session they lie below", () => {
    const isKnown = (id: string) => ["run7", "run7/cases/x", "run7/scratchpad"].includes(id);

    expect(ownsPath("run7", "notes", isKnown)).toBe(true);
    expect(ownsPath("run7", "cases/y/notes", isKnown)).toBe(true);
    expect(ownsPath("run7", "cases/xy", isKnown)).toBe(true);
    expect(ownsPath("run7", "cases/x/notes", isKnown)).toBe(false);
    expect(ownsPath("run7", "cases/x", isKnown)).toBe(false);
    expect(ownsPath("run7", "scratchpad/notes", isKnown)).toBe(true);
  });
});
