import { expect, it } from "vitest";
import { manualClock } from "../../test/harness/clock.js";
import { type AccessEntry, createAuthenticator, SCOPES } from "../http/index.js";
import { createEventsEntrance } from "./put-events.js";

it("N-4, N-41 what fails on our side is told to the log, and not to the caller", async () => {
  const clock = manualClock();
  const lines: AccessEntry[] = [];
  const full = new Error("the disk is full");
  const entrance = createEventsEntrance({
    authenticate: createAuthenticator({ credentials: { iam: { "*": SCOPES } }, environment: "local", clock }),
    bus: { put: () => Promise.reject(full) },
    clock,
    log: (entry) => void lines.push(entry),
  });

  const answer = await entrance({
    method: "POST",
    path: "/events",
    query: new URLSearchParams(),
    headers: { "content-type": "application/json" },
    body: new TextEncoder().encode('{"source":"shop","detail-type":"paid","detail":{}}'),
    requestId: "r-1",
    iamArn: "arn:aws:iam::1:user/x",
  });

  expect(answer.status).toBe(500);
  expect(answer.body).not.toContain("disk");
  expect(lines).toMatchObject([{ route: "/events", status: 500, code: "internal", error: full }]);
});
