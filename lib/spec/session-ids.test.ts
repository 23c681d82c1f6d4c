import { describe, expect, it } from "vitest";
import { childSessionId, isChildSessionOf, parentSessionIdOf, SESSION_AREAS, sessionIdRejection } from "./index.js";

describe("sessionIdRejection", () => {
  it.each(["ticket-1001", "run7/cases/x.test.yaml", "a~1", "a~1~2", "/ticket", "ä b", "x".repeat(512), "scratchpads"])(
    "H-91 accepts %j",
    (id) => {
      expect(sessionIdRejection(id, ["/skills/"])).toBeNull();
    },
  );

  it.each([
    "a~",
    "~1",
    "a~0",
    "a~01",
    "a~x",
    "a~1b",
    "a~1/b",
    "a~1~",
    "../x",
    "a/../b",
    "a/./b",
    "",
    "/",
    "a\\b",
    "a\u0000b",
    "a\u0085",
    "a\nb",
    "a\ud800",
    "_specs",
    ".parkway/x",
    "workflows/x",
    "skills/x",
    "skills",
    "x".repeat(513),
    "ü".repeat(257),
    ...SESSION_AREAS,
    ...SESSION_AREAS.map((area) => `a/${area}`),
  ])("H-91 rejects %j with a sentence", (id) => {
    expect(sessionIdRejection(id, ["/skills/", "catalogs/eu"])).toMatch(/\.$/);
  });

  it("H-91 reserves only the first segment of a mount, and only at the front", () => {
    expect(sessionIdRejection("catalogs", ["catalogs/eu"])).not.toBeNull();
    expect(sessionIdRejection("a/catalogs", ["catalogs/eu"])).toBeNull();
    expect(sessionIdRejection("skills/x")).toBeNull();
  });
});

describe("child ids", () => {
  it("H-92 numbers children below their parent", () => {
    expect(childSessionId("a", 1)).toBe("a~1");
    expect(childSessionId("a~1", 12)).toBe("a~1~12");
    expect(parentSessionIdOf("a~1~12")).toBe("a~1");
    expect(parentSessionIdOf("a")).toBeNull();
    expect(parentSessionIdOf("a~0")).toBeNull();
  });

  it("H-92 knows descendants by whole numbers, not by text", () => {
    expect(isChildSessionOf("a~1", "a")).toBe(true);
    expect(isChildSessionOf("a~1~2", "a")).toBe(true);
    expect(isChildSessionOf("a~12", "a~1")).toBe(false);
    expect(isChildSessionOf("a", "a")).toBe(false);
    expect(isChildSessionOf("a~x", "a")).toBe(false);
  });
});
