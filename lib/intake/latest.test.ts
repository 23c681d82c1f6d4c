import { expect, it } from "vitest";
import { createLatest } from "./latest.js";

it("R-32 W-34 reads once for all who ask before it reads, and again for who asks while it does", async () => {
  let text = "first";
  const reads: { text: string; done: () => void }[] = [];
  const latest = createLatest({
    text: () => {
      const read = text;
      return new Promise<string>((resolve) => reads.push({ text: read, done: () => resolve(read) }));
    },
    make: async () => ({ of: reads.at(-1)?.text }),
    warn: () => {},
  });

  const early = [latest("a"), latest("a"), latest("a")];
  await expect.poll(() => reads.length).toBe(1);
  text = "edited";
  const late = [latest("a"), latest("a")];
  reads[0]!.done();
  await expect.poll(() => reads.length).toBe(2);
  reads[1]!.done();

  const [first, ...same] = await Promise.all(early);
  const [second, again] = await Promise.all(late);
  expect(first).toEqual({ of: "first" });
  expect(same.every((made) => made === first)).toBe(true);
  expect(second).toEqual({ of: "edited" });
  expect(again).toBe(second);
  expect(reads).toHaveLength(2);
});
