import { describe, expect, it } from "vitest";
import { InvalidSessionPathError, InvalidTurnFileError } from "../session/errors.js";
import {
  type Backend,
  checkTurnFiles,
  createMemoryBackend,
  placeTurnFiles,
  seedFiles,
  type TurnFile,
} from "./index.js";

const aFile = (fields: Partial<TurnFile> = {}): TurnFile => ({
  variable: "invoice",
  name: "invoice.pdf",
  bytes: new Uint8Array([1, 0, 255]),
  ...fields,
});

describe("checkTurnFiles", () => {
  const checks = { supplied: ["taken"], awaitingDecision: false, area: createMemoryBackend() };

  it.each<[string, Partial<TurnFile>]>([
    ["a malformed variable", { variable: "In-Voice" }],
    ["the reserved variable", { variable: "trigger" }],
    ["a variable that `variables` supplies", { variable: "taken" }],
    ["an empty name", { name: "" }],
    ["the name .", { name: "." }],
    ["the name ..", { name: ".." }],
    ["a slash", { name: "a/b" }],
    ["a backslash", { name: "a\\b" }],
    ["a control character", { name: "a\u0007b" }],
    ["more than 255 bytes", { name: "é".repeat(128) }],
  ])("R-20 H-74 refuses %s, naming the variable", (_, fields) => {
    const file = aFile(fields);

    expect(() => checkTurnFiles([aFile({ variable: "a_good_one" }), file], checks)).toThrow(InvalidTurnFileError);
    expect(() => checkTurnFiles([file], checks)).toThrow(expect.objectContaining({ variable: file.variable }));
  });

  it("R-20 H-74 refuses files for a session that waits for a decision", () => {
    expect(() => checkTurnFiles([aFile()], { ...checks, awaitingDecision: true })).toThrow(InvalidTurnFileError);
    expect(() => checkTurnFiles([aFile({ name: "é".repeat(127) })], checks)).not.toThrow();
  });

  it("H-74 takes text into a store without uploadFiles, and refuses other bytes there", () => {
    const { uploadFiles: _, ...area } = createMemoryBackend();
    const text = new TextEncoder().encode("text");

    expect(() => checkTurnFiles([aFile({ name: "a.txt", bytes: text })], { ...checks, area })).not.toThrow();
    expect(() => checkTurnFiles([aFile({ name: "a.zip" })], { ...checks, area })).toThrow(InvalidTurnFileError);
  });
});

describe("placeTurnFiles", () => {
  const place = (area: Backend, arrivalId: string, ...files: TurnFile[]) => placeTurnFiles(area, { arrivalId, files });

  it("R-19 H-72 stores the exact bytes and answers the path of each variable", async () => {
    const area = createMemoryBackend();

    expect(await place(area, "a-1", aFile())).toEqual({ invoice: "scratchpad/attachments/invoice.pdf" });

    const [stored] = await area.downloadFiles(["/scratchpad/attachments/invoice.pdf"]);
    expect(stored?.content).toEqual(new Uint8Array([1, 0, 255]));
  });

  it("R-19 H-73 numbers a taken name before its last extension, files of one call in key order", async () => {
    const area = createMemoryBackend({
      "/scratchpad/attachments/a.tar.gz": "x",
      "/scratchpad/attachments/README": "x",
      "/scratchpad/attachments/.env": "x",
    });

    expect(
      await place(
        area,
        "a-1",
        aFile({ variable: "z", name: "a.tar.gz" }),
        aFile({ variable: "b", name: "a.tar.gz" }),
        aFile({ variable: "c", name: "README" }),
        aFile({ variable: "d", name: ".env" }),
      ),
    ).toEqual({
      b: "scratchpad/attachments/a.tar-1.gz",
      c: "scratchpad/attachments/README-1",
      d: "scratchpad/attachments/.env-1",
      z: "scratchpad/attachments/a.tar-2.gz",
    });
  });

  it("R-19 gives the same file of a second arrival a name of its own, even with equal bytes", async () => {
    const area = createMemoryBackend();
    await place(area, "a-1", aFile());

    expect(await place(area, "a-2", aFile())).toEqual({ invoice: "scratchpad/attachments/invoice-1.pdf" });
  });

  it("R-19 places nothing twice when a crash at any write makes the arrival run again", async () => {
    const files = [aFile(), aFile({ variable: "second" })];
    for (let crashAt = 0; crashAt <= 3; crashAt += 1) {
      const area = createMemoryBackend();
      let writes = 0;
      const crashing: Backend = {
        ...area,
        write: async (...args) => (writes++ === crashAt ? Promise.reject(new Error("crash")) : area.write(...args)),
        uploadFiles: async (...args) =>
          writes++ === crashAt ? Promise.reject(new Error("crash")) : area.uploadFiles(...args),
      };

      await place(crashing, "a-1", ...files).catch(() => undefined);
      const paths = await place(area, "a-1", ...files);

      expect(paths).toEqual({
        invoice: "scratchpad/attachments/invoice.pdf",
        second: "scratchpad/attachments/invoice-1.pdf",
      });
      expect((await area.ls("/scratchpad/attachments")).files).toHaveLength(2);
    }
  });
});

describe("seedFiles", () => {
  const mounts = [{ name: "skills", kind: "directory" as const, readOnly: true, governed: false, searchable: true }];

  it("H-79 writes strings verbatim and other values as pretty JSON, replacing what is there", async () => {
    const area = createMemoryBackend({ "/in.txt": "old" });

    await seedFiles(area, { files: { "in.txt": "new", "/scratchpad/data.json": { a: 1 } }, mounts });

    expect((await area.read("/in.txt")).content).toBe("new");
    expect((await area.read("/scratchpad/data.json")).content).toBe('{\n  "a": 1\n}\n');
  });

  it.each([
    "skills/x",
    "checkpoints/x",
    "artifacts/x",
    "large_tool_results/x",
    "_specs/x",
    "workflows/x",
    "../x",
    "",
    "scratchpad",
  ])("H-79 writes nothing when one key is %j", async (key) => {
    const area = createMemoryBackend();

    await expect(seedFiles(area, { files: { "a.txt": "x", [key]: "x" }, mounts })).rejects.toThrow(
      InvalidSessionPathError,
    );

    expect((await area.ls("/")).files).toEqual([]);
  });
});
