import { expect, it } from "vitest";
import { createMemoryBackend, createWorkspace } from "../workspace/index.js";
import { attachedPictures, pictureLimits } from "./pictures.js";

const PNG = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]);
const answer = {
  id: "m1",
  role: "tool" as const,
  content: "A picture.",
  additional_kwargs: { archmax: { picture: "/a.png" } },
};

it("R-236 H-24 takes 10 MB, and every picture, unless told otherwise", () => {
  expect(pictureLimits(true)).toEqual({ maxBytes: 10_485_760, keep: Number.POSITIVE_INFINITY });
});

it("R-236 shows a picture of just maxBytes, and names the path of one that is larger", async () => {
  const workspace = createWorkspace({ area: createMemoryBackend(), mounts: {} });
  await workspace.uploadFiles?.([["/a.png", PNG]]);
  const shown = async (maxBytes: number) =>
    (await attachedPictures(workspace, [answer], { maxBytes, keep: 1 })).get("m1");

  expect(await shown(PNG.length)).toMatchObject({ text: "/a.png", mediaType: "image/png" });
  expect(await shown(PNG.length - 1)).toEqual({ text: expect.stringContaining("/a.png cannot be shown") });
});
