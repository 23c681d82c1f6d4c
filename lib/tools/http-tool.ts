/** A host tool that makes one HTTP request. */
import type { StructuredToolInterface } from "@langchain/core/tools";
import { expandVariables } from "./expand.js";
import type { HandlerContext } from "./handler-context.js";
import { type ToolDescriptor, toolsFromMap } from "./tools-from-map.js";

/** The request that a tool of `httpTool` sends, and how its answer is told. */
export interface HttpToolOptions extends Omit<ToolDescriptor, "handler"> {
  name: string;
  method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{name}` stands for the argument of that name, encoded: `https://shop.test/orders/{id}`. */
  url: string;
  /** `${NAME}` stands for a variable of the process's environment; values are never shown. */
  headers?: Readonly<Record<string, string>>;
  /** Arguments sent in the query; a list is sent as several. */
  query?: readonly string[];
  /** Arguments sent as a JSON object; with POST, PUT and PATCH all that the address and the query leave, unless given. */
  body?: readonly string[];
  /** Milliseconds; 30000 unless given. */
  timeout?: number;
  /** The answer's text, as it is; its JSON, checked to be some; or its status, headers and text. `text` unless given. */
  resultMode?: "text" | "json" | "full";
}

type Args = Record<string, unknown>;

const DEFAULT_TIMEOUT_MS = 30_000;
const WITH_BODY = new Set(["POST", "PUT", "PATCH"]);
/** Shorter values are words that stand in any text. */
const SECRET_CHARS = 4;
/** A variable shorter than this may be a word that an answer has by itself. */
const PLAIN_CHARS = 8;

/**
 * A host tool that sends one HTTP request for each call. An answer other than 2xx is an error,
 * `HTTP <status>: <body>`. Redirects are not followed: headers are for the address that was named. Nothing is assumed of
 * the request's effect, whatever its method: say `readOnly` or `idempotent` (H-131).
 *
 * @throws {TypeError} for an address that is none, or not http(s)
 * @example
 * httpTool({
 *   name: "find_order",
 *   description: "Finds an order by its number.",
 *   method: "GET",
 *   url: "https://shop.example/orders/{number}",
 *   headers: { Authorization: "Bearer ${SHOP_TOKEN}" },
 *   inputSchema: { type: "object", properties: { number: { type: "string" } }, required: ["number"] },
 *   readOnly: true,
 * });
 */
export function httpTool(options: HttpToolOptions): StructuredToolInterface {
  const { name, method, url, headers, query, body, timeout, resultMode, ...descriptor } = options;
  const sample = URL.parse(url.replaceAll(/\{([^{}]+)\}/g, "x"));
  if (!sample || !/^https?:$/.test(sample.protocol))
    throw new TypeError(`"${name}" needs an http(s) address as its url.`);
  const handler = (args: Args, context: HandlerContext) => request(options, args, context.signal);
  const [tool] = toolsFromMap({ [name]: { ...descriptor, handler } });
  return tool as StructuredToolInterface;
}

async function request(options: HttpToolOptions, args: Args, signal: AbortSignal): Promise<unknown> {
  const { method, timeout = DEFAULT_TIMEOUT_MS, resultMode = "text" } = options;
  const { headers, secrets, variables } = headersOf(options);
  const sent = bodyOf(options, args);
  if (sent !== undefined && !headers.has("content-type")) headers.set("content-type", "application/json");
  const late = AbortSignal.timeout(timeout);
  let status: number;
  let text: string;
  let answered: Headers;
  try {
    const response = await fetch(addressOf(options, args), {
      method,
      headers,
      redirect: "manual",
      signal: AbortSignal.any([signal, late]),
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
    });
    ({ status, headers: answered } = response);
    text = await response.text();
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw new Error(`There was no answer within ${timeout} ms.`);
    throw error instanceof ArgumentError ? error : new Error(`The request failed: ${reasonOf(error)}.`);
  }
  if (status < 200 || status > 299) throw new Error(redacted(`HTTP ${status}: ${text}`, secrets));
  // What was sent may come back, as from a service that echoes; a header that says nothing secret may stand anywhere.
  const long = variables.filter((value) => value.length >= PLAIN_CHARS);
  const shown = redacted(text, long);
  if (resultMode === "full") {
    const pairs = [...answered].map(([name, value]) => [name, redacted(value, long)]);
    return { status, headers: Object.fromEntries(pairs), body: shown };
  }
  return resultMode === "json" ? jsonOf(shown) : shown;
}

class ArgumentError extends Error {}

function addressOf({ url, query = [] }: HttpToolOptions, args: Args): URL {
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (_, name: string) => {
    const value = args[name];
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    // A URL reads dots as steps up, encoded or not.
    if (typeof text !== "string" || text === "" || /^\.{1,2}$/.test(text))
      throw new ArgumentError(`\`${name}\` must be a text that can stand in an address.`);
    return encodeURIComponent(text);
  });
  const address = new URL(filled);
  for (const name of query) {
    const values = Array.isArray(args[name]) ? args[name] : [args[name]];
    for (const value of values)
      if (value !== undefined && value !== null) address.searchParams.append(name, textOf(value));
  }
  return address;
}

function bodyOf({ method, url, query = [], body }: HttpToolOptions, args: Args): Args | undefined {
  if (body === undefined && !WITH_BODY.has(method)) return undefined;
  const used = new Set([...query, ...[...url.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name)]);
  const names = body ?? Object.keys(args).filter((name) => !used.has(name));
  return Object.fromEntries(names.filter((name) => args[name] !== undefined).map((name) => [name, args[name]]));
}

function headersOf({ headers = {} }: HttpToolOptions): { headers: Headers; secrets: string[]; variables: string[] } {
  const all = new Headers();
  const secrets: string[] = [];
  const variables: string[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const expanded = expandVariables(value, process.env);
    if (!expanded.ok) throw new Error(`The environment variable ${expanded.unset} is not set.`);
    secrets.push(expanded.text, ...expanded.values);
    variables.push(...expanded.values);
    try {
      all.set(name, expanded.text);
    } catch {
      // What is thrown quotes the value.
      throw new Error(`The header ${name} has a value that HTTP cannot carry.`);
    }
  }
  return { headers: all, secrets, variables };
}

function redacted(text: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= SECRET_CHARS)
    .reduce((shown, secret) => shown.replaceAll(secret, "[removed]"), text);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The answer is no JSON.");
  }
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** What lies beneath `fetch failed`, by its code alone. */
function reasonOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: string }; name?: string };
  return cause?.code ?? name ?? "unknown";
}
