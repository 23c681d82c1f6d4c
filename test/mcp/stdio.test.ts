import { tmpdir } from "node:os";
import { afterEach, expect, it, vi } from "vitest";
import { aProcess, created, isRunning, loaded } from "./loaded.js";

type Loaded = Awaited<ReturnType<typeof loaded>>;
const open: { close(): Promise<void> }[] = [];
const start = async (...args: Parameters<typeof loaded>): Promise<Loaded> => {
  const servers = await loaded(...args);
  open.push(servers);
  return servers;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((servers) => servers.close()));
});

interface ProcessFacts {
  pid: number;
  cwd: string;
  env: Record<string, string>;
}
const factsOf = async ({ call }: Loaded, server = "shop") =>
  JSON.parse((await call(`${server}_process`)).text) as ProcessFacts;

it("A-57 A-62 speaks to a process over stdin and stdout", async () => {
  const shop = await start({ shop: aProcess() });

  expect(shop.warnings).toEqual([]);
  expect(shop.status()).toEqual({ shop: "connected" });
  expect(await shop.call("shop_echo", { text: "größer\nas a line" })).toEqual({
    text: "größer\nas a line",
    status: "success",
  });
});

it("A-62 hands four variables on and what is declared, and nothing else of this process", async () => {
  const own = { PATH: process.env.PATH, LANG: "C.UTF-8", TMPDIR: tmpdir() };
  const secret = [
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "ARCHMAX_API_KEY",
    "PARKWAY_API_KEY",
  ];
  for (const [name, value] of Object.entries(own)) vi.stubEnv(name, value);
  for (const name of secret) vi.stubEnv(name, "not-for-servers");
  try {
    const shop = await start(
      { shop: aProcess("", { environment: { SHOP_TOKEN: "${TOKEN}", HOME: "/shop" } }) },
      {
        env: { TOKEN: "t0ken" },
      },
    );
    const { env } = await factsOf(shop);

    expect(env).toEqual({ ...own, SHOP_TOKEN: "t0ken", HOME: "/shop" });
  } finally {
    vi.unstubAllEnvs();
  }
});

it("A-62 runs a program with its arguments as they are, in the folder it names", async () => {
  const shop = await start({ shop: aProcess("$HOME; exit 1", { cwd: "lib" }) });

  expect((await factsOf(shop)).cwd).toBe(`${process.cwd()}/lib`);
});

it("A-62 ends the whole tree of processes when it closes", async () => {
  const shop = await start({ shop: aProcess(), other: aProcess("stubborn") });
  const { pid } = await factsOf(shop);
  const child = JSON.parse((await shop.call("shop_spawn")).text) as { pid: number };
  const stubborn = (await factsOf(shop, "other")).pid;
  const ofStubborn = JSON.parse((await shop.call("other_spawn")).text) as { pid: number };
  const pids = [pid, child.pid, stubborn, ofStubborn.pid];
  expect(await Promise.all(pids.map(isRunning))).toEqual([true, true, true, true]);

  await shop.close();

  await expect.poll(() => Promise.all(pids.map(isRunning))).toEqual([false, false, false, false]);
  expect(shop.status()).toEqual({ shop: "failed", other: "failed" });
});

it("A-60 A-62 A-64 answers a lost connection with an error, and starts the process anew at the next call", async () => {
  const shop = await start({ shop: aProcess() });
  const first = await factsOf(shop);
  const child = JSON.parse((await shop.call("shop_spawn")).text) as { pid: number };

  const lost = await shop.call("shop_exit");

  expect(lost.status).toBe("error");
  expect(lost.text).toBe(
    'The MCP server "shop" was lost before it answered, its process ended with code 3; whether the call took effect is not known.',
  );
  expect(shop.status()).toEqual({ shop: "failed" });
  await expect.poll(() => isRunning(child.pid)).toBe(false);
  const second = await factsOf(shop);
  expect(second.pid).not.toBe(first.pid);
  expect(shop.status()).toEqual({ shop: "connected" });
});

it("A-60 A-64 notices a process that was killed between two calls, and those who call together share the new one", async () => {
  const shop = await start({ shop: aProcess() });
  const { pid } = await factsOf(shop);
  process.kill(pid, "SIGKILL");
  await expect.poll(() => shop.status()).toEqual({ shop: "failed" });

  const pids = await Promise.all([factsOf(shop), factsOf(shop)]);

  expect(pids[0]?.pid).not.toBe(pid);
  expect(pids[1]?.pid).toBe(pids[0]?.pid);
});

it("A-64 pings a process after a freeze, keeps one that answers, and replaces one that does not", async () => {
  const shop = await start({ shop: aProcess() });
  const { pid } = await factsOf(shop);

  shop.clock.advance(3_600_000);
  expect((await factsOf(shop)).pid).toBe(pid);

  process.kill(pid, "SIGSTOP");
  shop.clock.advance(3_600_000);
  const call = factsOf(shop);
  let settled = false;
  void call.finally(() => {
    settled = true;
  });
  await expect
    .poll(() => {
      shop.clock.advance(settled ? 0 : 100);
      return settled;
    })
    .toBe(true);
  const again = await call;
  expect(again.pid).not.toBe(pid);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it("A-64 does not ask a process that was used just now", async () => {
  const shop = await start({ shop: aProcess() });
  const { pid } = await factsOf(shop);
  process.kill(pid, "SIGSTOP");

  const answered = factsOf(shop);
  process.kill(pid, "SIGCONT");

  expect((await answered).pid).toBe(pid);
});

it("A-57 A-62 fails alone when the process cannot be started or ends, and says how", async () => {
  const shop = await start({
    gone: { command: "/nowhere/at-all" },
    ends: aProcess("ends"),
    shop: aProcess("garbage"),
  });

  expect(shop.status()).toEqual({ gone: "failed", ends: "failed", shop: "connected" });
  expect(shop.warnings.sort()).toEqual([
    'The MCP server "ends" could not be connected to: its process ended with code 7.',
    'The MCP server "gone" could not be connected to: it could not be started (ENOENT).',
  ]);
  expect((await shop.call("shop_echo", { text: "x" })).text).toBe("x");
});

it("A-57 gives a silent process its timeout, and ends it", async () => {
  const shop = created({ silent: aProcess("silent", { timeout: 500 }), shop: aProcess() });
  open.push(shop);
  const loading = shop.load();
  let settled = false;
  void loading.finally(() => {
    settled = true;
  });

  await expect
    .poll(() => {
      if (!settled && shop.status().shop === "connected") shop.clock.advance(100);
      return settled;
    })
    .toBe(true);

  expect((await loading).some(({ name }) => name === "shop_echo")).toBe(true);
  expect(shop.status()).toEqual({ silent: "failed", shop: "connected" });
  expect(shop.warnings).toEqual(['The MCP server "silent" did not answer within 500 ms (initializing).']);
});

it("A-57 A-62 aborts everything, and leaves no process, when loading is cancelled", async () => {
  const shop = created({ silent: aProcess("silent"), shop: aProcess() });
  const cancel = new AbortController();
  const loading = shop.load([], cancel.signal);
  await expect.poll(() => shop.status().shop).toBe("connected");
  const before = childPids();
  expect((await before).length).toBeGreaterThan(0);

  cancel.abort(new Error("never mind"));

  await expect(loading).rejects.toThrow("never mind");
  for (const pid of await before) await expect.poll(() => isRunning(pid)).toBe(false);
});

/** Processes of this one that run the server. */
async function childPids(): Promise<number[]> {
  const { readdir, readFile } = await import("node:fs/promises");
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const facts = await Promise.all(
    pids.map(async (pid) => {
      const [stat, line] = await Promise.all(
        ["stat", "cmdline"].map((name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "")),
      );
      return { pid, parent: Number(stat?.split(") ")[1]?.split(" ")[1]), isServer: line?.includes("stdio-server") };
    }),
  );
  return facts.filter(({ parent, isServer }) => parent === process.pid && isServer).map(({ pid }) => pid);
}

it("A-65 advertises neither sampling nor roots nor elicitation", async () => {
  const shop = await start({ shop: aProcess() });

  expect(JSON.parse((await shop.call("shop_client")).text)).toEqual({
    capabilities: {},
    by: { name: "parkway", version: "9.9.9" },
  });
});
