/** The tools of the servers that tests connect to, over whichever transport. Runs in a process of its own as it stands. */
import { Server, type Tool } from "@modelcontextprotocol/server";

const NONE = { type: "object", properties: {} } as const;
/** One pixel. */
export const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export const TOOLS: Tool[] = [
  {
    name: "echo",
    description: "Says it again.",
    inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    annotations: { readOnlyHint: true, idempotentHint: true },
  },
  { name: "fail", description: "Fails, and says why.", inputSchema: NONE },
  { name: "data", description: "Answers with data.", inputSchema: NONE },
  { name: "parts", description: "Answers in parts of every kind.", inputSchema: NONE },
  { name: "client", description: "What the client said of itself.", inputSchema: NONE },
  { name: "process", description: "Where the server runs, and with which environment.", inputSchema: NONE },
  { name: "spawn", description: "Starts a process that goes on, and answers with its id.", inputSchema: NONE },
  { name: "hang", description: "Never answers.", inputSchema: NONE },
  { name: "exit", description: "Ends the server in the middle of the call.", inputSchema: NONE },
  { name: "strange name/1", description: "Has a name that no model takes.", inputSchema: NONE },
];

export interface ToolServerOptions {
  tools?: readonly Tool[];
  /** How many tools a page has; all unless given. */
  pageSize?: number;
  /** Called with the name of every tool that is called. */
  onCall?(name: string): void;
  /** What the tool that fails says. */
  failure?: string;
  /** What only a process of its own can do. */
  own?: Partial<Record<string, () => unknown>>;
}

type Content = { content: { type: "text"; text: string }[]; isError?: boolean; structuredContent?: unknown };
const said = (text: string, more: Partial<Content> = {}): Content => ({ content: [{ type: "text", text }], ...more });

export function createToolServer({
  tools = TOOLS,
  pageSize,
  onCall,
  failure = "the warehouse is closed",
  own = {},
}: ToolServerOptions = {}): Server {
  const server = new Server({ name: "tool-set", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", ({ params }) => {
    const from = Number(params?.cursor ?? 0);
    const to = from + (pageSize ?? tools.length);
    return { tools: tools.slice(from, to), ...(to < tools.length ? { nextCursor: String(to) } : {}) };
  });
  server.setRequestHandler("tools/call", async ({ params: { name, arguments: args = {} } }) => {
    onCall?.(name);
    const mine = own[name];
    if (mine) return said(JSON.stringify(await mine()));
    switch (name) {
      case "fail":
        return said(failure, { isError: true });
      case "data":
        return said("three", { structuredContent: { count: 3 } });
      case "parts":
        return {
          content: [
            { type: "text", text: "first" },
            { type: "image", mimeType: "image/png", data: PICTURE },
            { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "hidden" } },
            { type: "resource_link", uri: "https://shop.test/a.pdf", name: "a", size: 12 },
            { type: "text", text: "last" },
          ],
        };
      case "client":
        return said(JSON.stringify({ capabilities: server.getClientCapabilities(), by: server.getClientVersion() }));
      case "hang":
        return new Promise<never>(() => {});
      default:
        return said(typeof args.text === "string" ? args.text : "done");
    }
  });
  return server;
}
