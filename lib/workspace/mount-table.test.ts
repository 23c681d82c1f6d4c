import { describe, expect, it } from "vitest";
import { MountCollisionError } from "./errors.js";
import { createMemoryBackend } from "./memory-backend.js";
import { mountInfos } from "./mounts.js";
import { findings, SPEC, spec } from "./validate/sample-workspace.fixture.js";

const backend = createMemoryBackend({});

describe("the host's mounts", () => {
  it("W-230 are folders or single files, read-only, ungoverned and searchable unless the host says otherwise", () => {
    const table = {
      "/kb/": backend,
      "/price.json": { backend, governed: true },
      "/drop/": { backend, readOnly: false, searchable: false },
    };

    expect(mountInfos(table)).toEqual([
      { name: "drop", kind: "directory", readOnly: false, governed: false, searchable: false },
      { name: "kb", kind: "directory", readOnly: true, governed: false, searchable: true },
      { name: "price.json", kind: "file", readOnly: true, governed: true, searchable: true },
    ]);
  });

  it("W-230 are never made by the document: a name it only mentions is unknown", async () => {
    const mounts = { "/kb/": { backend, governed: true } };
    const found = await findings({ [SPEC]: spec({ root: "mounts: { allow_always: [kb, made_up] }" }) }, { mounts });

    expect(found).toEqual(["mounts/unknown mounts.allow_always.1"]);
  });

  it.each(["/workflows/", "/workflows/a/", "/scratchpad/", "/checkpoints/x/", "/artifacts/", "/conversation_history/"])(
    "W-238 may not begin with a place of the runtime (%s)",
    (key) => {
      expect(() => mountInfos({ [key]: backend })).toThrow(MountCollisionError);
      expect(() => mountInfos({ [`/more${key}`]: backend })).not.toThrow();
    },
  );
});
