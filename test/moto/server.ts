/** moto's server as a process that ends with this one. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Moto {
  endpoint: string;
  stop(): void;
}

/**
 * @param python - one that has moto
 * @param unknownTypes - resources that its CloudFormation does not know
 */
export async function startMoto(python: string, unknownTypes: readonly string[]): Promise<Moto> {
  const server = spawn(python, [join(import.meta.dirname, "server.py"), ...unknownTypes], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  server.stderr.on("data", (part) => {
    said = `${said}${part}`.slice(-4_000);
  });
  const port = await new Promise<string>((resolve, reject) => {
    createInterface({ input: server.stdout }).once("line", resolve);
    server.once("exit", (code) => reject(new Error(`moto's server ended with ${code}:\n${said}`)));
  });
  return { endpoint: `http://127.0.0.1:${port}`, stop: () => server.kill() };
}
