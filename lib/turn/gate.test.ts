import { expect, it } from "vitest";
import { createGate } from "./gate.js";

function deferred() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it("R-182 lets as many through as it is wide, the others in order as places become free", async () => {
  const gate = createGate(2);
  const { signal } = new AbortController();
  const ends = [1, 2, 3, 4].map(deferred);
  const begun: number[] = [];
  const all = ends.map((end, index) =>
    gate.through(signal, async () => {
      begun.push(index + 1);
      await end.promise;
    }),
  );
  await settled();
  expect(begun).toEqual([1, 2]);

  ends[1]!.resolve();
  await settled();
  expect(begun).toEqual([1, 2, 3]);

  for (const end of ends) end.resolve();
  await Promise.all(all);
  expect(begun).toEqual([1, 2, 3, 4]);
});

it("R-182 stops waiting at the abort signal, and the place goes to the next", async () => {
  const gate = createGate(1);
  const first = deferred();
  const leaving = new AbortController();
  const { signal } = new AbortController();
  const holding = gate.through(signal, () => first.promise);
  const left = gate.through(leaving.signal, async () => "ran");
  const next = gate.through(signal, async () => "next");

  leaving.abort(new Error("stopped"));
  await expect(left).rejects.toThrow("stopped");
  first.resolve();
  await holding;

  await expect(next).resolves.toBe("next");
});

it("R-182 frees its place when the work fails", async () => {
  const gate = createGate(1);
  const { signal } = new AbortController();

  await expect(gate.through(signal, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  await expect(gate.through(signal, async () => "ran")).resolves.toBe("ran");
});
