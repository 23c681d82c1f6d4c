import { expect, it } from "vitest";
import { stdioTransport } from "./stdio.js";

it("A-62 hands on every line of stderr, and of one that never ends its beginning alone", async () => {
  const script = `const { stderr } = process;
    stderr.write("first\\r\\n\\nsecond – ü\\n");
    for (let count = 0; count < 30; count++) stderr.write("x".repeat(100_000));
    stderr.write("\\nlast\\nunended");`;
  const lines: string[] = [];
  const transport = stdioTransport(await import("@modelcontextprotocol/client"), {
    command: process.execPath,
    args: ["-e", script],
    environment: {},
    cwd: process.cwd(),
    onLine: (line) => lines.push(line),
  });
  const closed = new Promise<void>((done) => {
    transport.onclose = done;
  });

  await transport.start();
  await closed;

  expect(lines.map((line) => line.slice(0, 12))).toEqual(["first", "second – ü", "x".repeat(12), "last", "unended"]);
  expect(Math.max(...lines.map((line) => line.length))).toBe(8_192);
});
