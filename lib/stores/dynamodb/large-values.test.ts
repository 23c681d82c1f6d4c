import { afterEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/harness/temporary.js";
import { sha256Hex } from "../../session/index.js";
import { createFileLargeValues, createMemoryLargeValues } from "./index.js";

const BYTES = new TextEncoder().encode("a large value");
const SHA = sha256Hex(BYTES);

describe.each(["memory", "files"])("large values in %s", (kind) => {
  const folder = temporaryFolder();
  afterEach(() => folder.remove());
  const open = () => (kind === "memory" ? createMemoryLargeValues() : createFileLargeValues({ dir: folder.dir }));

  it("S-76 gives back what was put, also when it was put twice", async () => {
    const values = open();
    await values.put("S#a/b", SHA, BYTES);
    await values.put("S#a/b", SHA, BYTES);

    expect(new TextDecoder().decode((await values.get("S#a/b", SHA)) ?? undefined)).toBe("a large value");
    expect(await values.get("S#a", SHA)).toBeNull();
  });

  it("S-79 pages through all values with their times, and removes one", async () => {
    const values = open();
    expect(await values.list({ after: "", limit: 9 })).toEqual([]);
    const areas = ["D#x", "S#a", "S#a/b"];
    for (const area of areas) await values.put(area, SHA, BYTES);

    const first = await values.list({ after: "", limit: 2 });
    const rest = await values.list({ after: first.at(-1)?.cursor ?? "", limit: 2 });
    expect([...first, ...rest].map(({ area }) => area).sort()).toEqual(areas);
    expect(rest).toHaveLength(1);
    for (const { name, modifiedAt } of first) {
      expect(name).toBe(SHA);
      expect(Math.abs(modifiedAt - Date.now())).toBeLessThan(60_000);
    }

    await values.remove("S#a", SHA);
    await values.remove("S#a", SHA);
    expect(await values.get("S#a", SHA)).toBeNull();
    expect(await values.list({ after: "", limit: 9 })).toHaveLength(2);
  });

  it("R-312 removes an area's values and no other's whose name begins with the same text", async () => {
    const values = open();
    for (const area of ["S#run7", "S#run7/cases", "S#run70"]) await values.put(area, SHA, BYTES);
    await values.removeAll("S#run7");
    await values.removeAll("S#run7");

    expect(await values.get("S#run7", SHA)).toBeNull();
    expect(await values.get("S#run7/cases", SHA)).not.toBeNull();
    expect(await values.get("S#run70", SHA)).not.toBeNull();
  });
});
