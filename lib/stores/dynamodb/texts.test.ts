import { expect, it } from "vitest";
import { sha256Hex } from "../../session/index.js";
import { createMemoryLargeValues } from "./large-values.js";
import { createTexts, valueNameIn } from "./texts.js";

const OF = { sessionId: "s1", key: "k" };

it("S-74 S-76 keeps a text that an item of 256 KB has no room for apart, under a name that holds its hash", async () => {
  const large = createMemoryLargeValues();
  const texts = createTexts(large);
  const text = "x".repeat(250 * 1024);

  const attribute = await texts.put("S#s1", text);

  const names = (await large.list({ after: "", limit: 9 })).map(({ name }) => name);
  expect(names).toEqual([valueNameIn(attribute)]);
  expect(names[0]).toMatch(new RegExp(`^${sha256Hex(text)}-`));
  expect(attribute.M?.sizeBytes).toEqual({ N: String(text.length) });
  expect(await texts.get("S#s1", attribute, OF)).toBe(text);
  expect(await texts.put("S#s1", "short")).toEqual({ S: "short" });
});
