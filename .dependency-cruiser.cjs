// Which folder of lib/ may import which: CONTRIBUTING.md has the drawing. Tests beside a file are free of it.

const CORE = ["messages", "spec", "machine", "kernel", "session"];
const MAY_IMPORT = {
  messages: [],
  spec: [],
  machine: ["spec"],
  kernel: ["spec", "machine"],
  session: ["messages", "spec", "machine", "kernel"],
  sandbox: CORE,
  workspace: CORE,
  tools: [...CORE, "workspace", "sandbox"],
  models: [...CORE, "tools"],
  mcp: [...CORE, "models", "tools"],
  extensions: [...CORE, "workspace", "models", "tools"],
  turn: [...CORE, "sandbox", "workspace", "models", "tools", "extensions"],
  artifacts: CORE,
  drawing: ["spec", "machine"],
  stores: [...CORE, "workspace"],
  config: [...CORE, "models", "tools", "workspace", "extensions", "mcp"],
  intake: [...CORE, "workspace", "config"],
  http: [...CORE, "intake", "config"],
  // Above the agent: cases run on one, as any caller does.
  cases: [...CORE, "sandbox", "workspace", "models", "tools", "extensions", "turn", "intake", "stores", "agent.ts"],
};
const TEST = "\\.(?:test|fixture)\\.ts$";

module.exports = {
  forbidden: [
    ...Object.entries(MAY_IMPORT).map(([folder, allowed]) => ({
      name: `floor-of-${folder}`,
      comment: `lib/${folder} may import ${allowed.length > 0 ? allowed.join(", ") : "nothing else of lib/"}`,
      severity: "error",
      from: { path: `^lib/${folder}/`, pathNot: TEST },
      to: { path: "^lib/", pathNot: `^lib/(?:${[folder, ...allowed].join("|").replaceAll(".", "\\.")})(?:/|$)` },
    })),
    {
      name: "only-the-edge-chooses-stores",
      comment: "adapters are chosen by agent, cases, local and cli",
      severity: "error",
      from: { path: "^lib/", pathNot: `^lib/(?:stores|agent|cases|local|cli)/|^lib/[^/]+\\.ts$|${TEST}` },
      to: { path: "^lib/stores/" },
    },
    {
      name: "pure-floors-langchain",
      comment: "messages, spec, machine and kernel know nothing of LangChain",
      severity: "error",
      from: { path: "^lib/(?:messages|spec|machine|kernel)/", pathNot: TEST },
      to: { path: "node_modules/@langchain/" },
    },
    {
      name: "pure-floors-io",
      comment: "messages, spec, machine and kernel do no I/O: no Node built-ins",
      severity: "error",
      from: { path: "^lib/(?:messages|spec|machine|kernel)/", pathNot: TEST },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "around-an-index",
      comment:
        "a folder's surface is its index.ts; types.ts files may be imported singly, session's files too (the words of all " +
        "floors above), what a deployment says (config/deployment.ts), and turn's by agent, which assembles them",
      severity: "error",
      from: { path: "^lib/([^/]+)/", pathNot: `^lib/agent/|${TEST}` },
      to: {
        path: "^lib/[^/]+/",
        pathNot: "^lib/$1/|/(?:index|types)\\.ts$|^lib/session/|^lib/config/deployment\\.ts$",
      },
    },
    {
      name: "around-an-index-of-agent",
      comment: "as around-an-index",
      severity: "error",
      from: { path: "^lib/agent/", pathNot: TEST },
      to: { path: "^lib/[^/]+/", pathNot: "^lib/(?:agent|session|turn)/|/(?:index|types)\\.ts$" },
    },
    {
      name: "entrances-load-no-model-library",
      comment: "what accepts inputs starts fast: nothing it reaches, types included, loads LangChain (F-78)",
      severity: "error",
      from: { path: "^lib/(?:intake|http)/", pathNot: TEST },
      to: { path: "node_modules/(?:@langchain/|langsmith)", reachable: true },
    },
    {
      name: "functions-and-cdk-stand-on-lib",
      comment: "functions/ and cdk/ stand on lib/ and not on each other; nothing stands on them, and nothing on test/",
      severity: "error",
      from: { path: "^(lib|functions|cdk)/", pathNot: TEST },
      to: { path: "^(?:functions|cdk|test)/", pathNot: "^$1/" },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    { name: "resolvable", severity: "error", from: { path: "^lib/", pathNot: TEST }, to: { couldNotResolve: true } },
    {
      name: "no-dev-packages",
      comment: "what lib/ runs on is a dependency, not a dev dependency",
      severity: "error",
      from: { path: "^lib/", pathNot: TEST },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"], pathNot: "node_modules/@types/" },
    },
  ],
  options: {
    parser: "swc",
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js"],
      exportsFields: ["exports"],
      conditionNames: ["node", "import", "default"],
    },
  },
};
