/** A server's process, spoken to over stdin and stdout. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Readable } from "node:stream";
import type { JSONRPCMessage, ReadBuffer, Transport } from "@modelcontextprotocol/client";

/** All that a server inherits; the functions' own secrets stay with them. */
const INHERITED = ["PATH", "HOME", "LANG", "TMPDIR"];

/** How long a process may take to end by itself, and again after it was asked to. */
const GRACE_MS = 1_000;
const POLL_MS = 10;

export interface StdioOptions {
  command: string;
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
  cwd: string;
  /** A line of stderr. */
  onLine(line: string): void;
}

export interface StdioTransport extends Transport {
  /** How the process ended, for people; null while it runs. */
  ended(): string | null;
}

type Sdk = { ReadBuffer: typeof ReadBuffer; serializeMessage(message: JSONRPCMessage): string };

/**
 * The SDK's own transport hands more of the environment on, and ends the process alone. This one's process leads a group
 * of its own, so that whatever it starts ends with it.
 */
export function stdioTransport(sdk: Sdk, { command, args, environment, cwd, onLine }: StdioOptions): StdioTransport {
  const buffer = new sdk.ReadBuffer();
  let child: ChildProcess | null = null;
  let exit: string | null = null;
  let isLost = false;
  let closing: Promise<void> | null = null;

  function lost(): void {
    if (isLost) return;
    isLost = true;
    transport.onclose?.();
  }

  function read(chunk: Buffer): void {
    try {
      buffer.append(chunk);
    } catch (error) {
      transport.onerror?.(error as Error);
      void transport.close();
      return;
    }
    for (;;) {
      try {
        const message = buffer.readMessage();
        if (message === null) return;
        transport.onmessage?.(message);
      } catch (error) {
        // A line that is no message is the server's mistake; the next one may be one.
        transport.onerror?.(error as Error);
      }
    }
  }

  const transport: StdioTransport = {
    start: () =>
      new Promise((resolve, reject) => {
        const started = spawn(command, [...args], {
          cwd,
          env: { ...inherited(), ...environment },
          stdio: ["pipe", "pipe", "pipe"],
          shell: false,
          detached: true,
          windowsHide: true,
        });
        child = started;
        started.once("spawn", () => {
          groups.add(started);
          resolve();
        });
        started.once("error", (error) => {
          exit ??= `it could not be started (${(error as NodeJS.ErrnoException).code ?? "unknown error"})`;
          reject(error);
          lost();
        });
        started.once("exit", (code, signal) => {
          exit = signal === null ? `its process ended with code ${code}` : `its process was ended by ${signal}`;
          void endGroup(started).finally(lost);
        });
        started.once("close", lost);
        started.stdin.on("error", (error) => transport.onerror?.(error));
        started.stdout.on("data", read);
        started.stdout.on("error", (error) => transport.onerror?.(error));
        onLines(started.stderr, onLine);
      }),
    async send(message) {
      const stdin = child?.stdin;
      if (exit !== null || closing || !stdin?.writable) throw new Error("The process does not run.");
      await new Promise<void>((resolve, reject) => {
        stdin.write(sdk.serializeMessage(message), (error) => (error ? reject(error) : resolve()));
      });
    },
    close() {
      closing ??= (async () => {
        if (child) await endGroup(child);
        buffer.clear();
        lost();
      })();
      return closing;
    },
    ended: () => exit,
  };
  return transport;
}

/** What is kept of a line. A server that never ends its line must not fill the memory of this process. */
const LINE_CHARS = 8_192;

/** Hands on every line that says something, the first characters of a long one. */
function onLines(stream: Readable, onLine: (line: string) => void): void {
  let line = "";
  const end = () => {
    if (line !== "") onLine(line);
    line = "";
  };
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const [first = "", ...more] = text.split(/\r?\n/);
    line += first.slice(0, LINE_CHARS - line.length);
    for (const next of more) {
      end();
      line = next.slice(0, LINE_CHARS);
    }
  });
  stream.on("end", end);
  // What breaks off says nothing more; the process's end is told by itself.
  stream.on("error", end);
}

function inherited(): Record<string, string> {
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Processes that run; none of them outlives this one's ordinary end. */
const groups = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of groups) signalGroup(child, "SIGKILL");
});

/** Closes stdin, then asks, then kills: the process, and with it all that it started. */
async function endGroup(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  await until(() => hasExited(child));
  signalGroup(child, "SIGTERM");
  await until(() => !isAlive(child));
  signalGroup(child, "SIGKILL");
  groups.delete(child);
  const pipes = [child.stdout, child.stderr];
  await until(() => pipes.every((pipe) => pipe === null || pipe.closed));
  // A process that left the group may still hold them open.
  for (const pipe of pipes) pipe?.destroy();
}

function hasExited({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** @returns whether there was somebody to signal */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (child.pid === undefined) return false;
  try {
    return process.kill(-child.pid, signal);
  } catch {
    return process.platform === "win32" && child.kill(signal);
  }
}

function isAlive(child: ChildProcess): boolean {
  return signalGroup(child, 0);
}

/** Waits for what other processes do, in real time, but not longer than the grace. */
async function until(done: () => boolean): Promise<void> {
  const latest = Date.now() + GRACE_MS;
  while (!done() && Date.now() < latest) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
}
