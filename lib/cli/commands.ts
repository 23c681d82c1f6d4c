/** The table of commands: parsing, help and dispatch all read it (C-57). */
import type { CommandContext } from "./types.js";

export interface OptionSpec {
  /** As in `--trigger <id>`; without a value it is a switch. */
  flags: string;
  text: string;
  required?: true;
  /** May be given more than once; its value is a list. */
  repeatable?: true;
}

export interface CommandSpec {
  name: string;
  summary: string;
  /** `<required>`, `[optional]`, `...` for the rest of the line. */
  arguments: readonly string[];
  options: readonly OptionSpec[];
  /** Resolves to the exit code. Loaded when it is needed, so that help costs no engine. */
  run(context: CommandContext): Promise<number>;
}

const WORKFLOW: OptionSpec = {
  flags: "--workflow <slug>",
  text: "the workflow; may be omitted when there is only one",
};
const ENDPOINT: OptionSpec = {
  flags: "--endpoint <url>",
  text: "a deployed environment in place of the workspace; its key is read from PARKWAY_API_KEY",
};
const VERBOSE: OptionSpec = { flags: "--verbose", text: "also print every event as one raw line" };
const JSON_OUT: OptionSpec = { flags: "--json", text: "print one JSON document on stdout" };
const VARIABLES: OptionSpec = { flags: "--variables <json>", text: "a JSON object of variables, set locked" };

export const ROOT: OptionSpec = { flags: "--root <dir>", text: "the workspace (default: the current directory)" };

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    summary: "run one turn of a workflow",
    arguments: ["[workflow]", "[prompt...]"],
    options: [
      { flags: "--trigger <id>", text: "the trigger that fires (default: manual)" },
      VARIABLES,
      { flags: "--session <id>", text: "the session; otherwise the trigger decides" },
      { flags: "--session-path <path>", text: "the variable that holds the session id, such as order.id" },
      { flags: "--file <name=path>", text: "a file for the variable of that name", repeatable: true },
      ENDPOINT,
      VERBOSE,
      JSON_OUT,
    ],
    run: async (context) => (await import("./run.js")).run(context),
  },
  {
    name: "validate",
    summary: "check a workflow without running it",
    arguments: ["[workflow]"],
    options: [{ flags: "--mcp", text: "ask the MCP servers which tools they have" }, JSON_OUT],
    run: async (context) => (await import("./validate.js")).validate(context),
  },
  {
    name: "test",
    summary: "run a workflow's test cases; recorded replies answer where there are any",
    arguments: ["[workflow]", "[filter]"],
    options: [
      { flags: "--record", text: "run against the model and record its replies beside each case" },
      { flags: "--live", text: "run against the model, whatever is recorded" },
      { flags: "--junit <file>", text: "also write the results as JUnit XML" },
      VERBOSE,
      JSON_OUT,
    ],
    run: async (context) => (await import("./test.js")).test(context),
  },
  {
    name: "init",
    summary: "make a new workspace: a workflow, a skill, a test case",
    arguments: ["[folder]"],
    options: [
      { flags: "--name <slug>", text: "the workflow's name (default: the folder's)" },
      { flags: "--purpose <text>", text: "what it is for, in a sentence" },
      { flags: "--yes", text: "ask nothing" },
    ],
    run: async (context) => (await import("./init.js")).init(context),
  },
  {
    name: "graph",
    summary: "draw a workflow: Mermaid text, or a picture",
    arguments: ["[workflow]"],
    options: [
      { flags: "--svg [file]", text: "an SVG picture in place of Mermaid text; into a file if one is named" },
      JSON_OUT,
    ],
    run: async (context) => (await import("./graph.js")).graph(context),
  },
  {
    name: "sessions",
    summary: "list the sessions, or show one",
    arguments: ["[id]"],
    options: [WORKFLOW, ENDPOINT, JSON_OUT],
    run: async (context) => (await import("./sessions.js")).sessions(context),
  },
  {
    name: "decide",
    summary: "take a transition of the human state where a session is parked",
    arguments: ["<id>"],
    options: [
      { flags: "--to <state>", text: "the state to go to", required: true },
      { flags: "--comment <text>", text: "what the agent is told with the decision" },
      { flags: "--park <id>", text: "the park the decision is for (default: the present one)" },
      WORKFLOW,
      ENDPOINT,
      VERBOSE,
      JSON_OUT,
    ],
    run: async (context) => (await import("./resume.js")).decide(context),
  },
  {
    name: "reply",
    summary: "say something to a session that is parked for a decision",
    arguments: ["<id>", "<message...>"],
    options: [WORKFLOW, ENDPOINT, VERBOSE, JSON_OUT],
    run: async (context) => (await import("./resume.js")).reply(context),
  },
  {
    name: "deliver",
    summary: "bring an event to a session that waits for one",
    arguments: ["<id>"],
    options: [
      { flags: "--trigger <id>", text: "the trigger that brings it", required: true },
      VARIABLES,
      { flags: "--message <text>", text: "what is said along with it" },
      WORKFLOW,
      ENDPOINT,
      VERBOSE,
      JSON_OUT,
    ],
    run: async (context) => (await import("./resume.js")).deliver(context),
  },
  {
    name: "wake",
    summary: "wake what is due now",
    arguments: [],
    options: [WORKFLOW, VERBOSE, JSON_OUT],
    run: async (context) => (await import("./wake.js")).wake(context),
  },
  {
    name: "dev",
    summary: "run the whole deployment on this machine: HTTP, events, schedules",
    arguments: [],
    options: [
      { flags: "--port <number>", text: "where to listen, on 127.0.0.1 only (default: 8787)" },
      { flags: "--new-key", text: "make another API key" },
      VERBOSE,
    ],
    run: async (context) => (await import("./dev.js")).dev(context),
  },
  {
    name: "keys",
    summary: "make, list and revoke the API keys of a deployed environment",
    arguments: ["<create|list|revoke>", "[id]"],
    options: [
      { flags: "--table <name>", text: "the environment's table" },
      { flags: "--region <name>", text: "its region (default: the AWS configuration's)" },
      { flags: "--hash-key <ref>", text: "secret:<arn> or ssm:<name> that keys are hashed with (create)" },
      { flags: "--environment <name>", text: "the environment's name, which the key carries (create)" },
      { flags: "--name <text>", text: "whose key it is, for people (create)" },
      { flags: "--scopes <list>", text: "what it may do, such as sessions:start,sessions:read (create)" },
      { flags: "--workflows <list>", text: "the only workflows it is for (create)" },
      { flags: "--expires-in-days <days>", text: "when it stops working (create)" },
      JSON_OUT,
    ],
    run: async (context) => (await import("./keys.js")).keys(context),
  },
  {
    name: "demo",
    summary: "see a workflow park, be decided and go on, without a model",
    arguments: [],
    options: [],
    run: async (context) => (await import("./demo.js")).demo(context),
  },
];
