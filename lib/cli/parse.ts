/** From the words of the command line to a command of the table, help to print, or a usage error. */
import { Command, CommanderError } from "commander";
import { COMMANDS, type CommandSpec, type OptionSpec, ROOT } from "./commands.js";
import { UsageError } from "./errors.js";

export type Parsed =
  | { kind: "command"; spec: CommandSpec; args: string[]; options: Record<string, unknown>; root?: string }
  | { kind: "text"; text: string };

/** @throws {UsageError} for whatever does not fit the table */
export function parseCommandLine(argv: readonly string[], version: string): Parsed {
  let parsed: Parsed | undefined;
  let text = "";
  const program = buildProgram(version, (result) => {
    parsed = result;
  });
  const collect = {
    writeOut: (part: string) => {
      text += part;
    },
    writeErr: () => {},
    outputError: () => {},
  };
  for (const command of [program, ...program.commands]) command.configureOutput(collect).exitOverride();

  try {
    program.parse(argv as string[], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode !== 0) throw usageError(error, argv);
  }
  return parsed ?? { kind: "text", text: text.trimEnd() };
}

function buildProgram(version: string, found: (parsed: Parsed) => void): Command {
  const program = new Command("parkway")
    .description("Agents that follow a process.")
    .usage("<command> [arguments] [options]")
    .version(version, "--version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .configureHelp({ showGlobalOptions: true });
  addOption(program, ROOT);

  for (const spec of COMMANDS) {
    const command = program.command(spec.name).description(spec.summary).helpOption("-h, --help", "print this help");
    command.showSuggestionAfterError(false);
    for (const argument of spec.arguments) command.argument(argument);
    for (const option of spec.options) addOption(command, option);
    command.action(() => {
      const { root, ...options } = command.optsWithGlobals<{ root?: string }>();
      found({ kind: "command", spec, args: command.args, options, root });
    });
  }

  program
    .command("help")
    .description("print the help of a command")
    .argument("[command]")
    .helpOption("-h, --help", "print this help")
    .action((name?: string) => {
      const subject = name === undefined ? program : program.commands.find((command) => command.name() === name);
      if (!subject) throw new UsageError(`there is no command "${name}"`);
      found({ kind: "text", text: subject.helpInformation().trimEnd() });
    });
  return program;
}

function addOption(command: Command, { flags, text, required, repeatable }: OptionSpec): void {
  if (required) command.requiredOption(flags, text);
  else if (repeatable) command.option(flags, text, (value: string, all: string[] = []) => [...all, value]);
  else command.option(flags, text);
}

function usageError(error: CommanderError, argv: readonly string[]): UsageError {
  const named = argv.find((word) => !word.startsWith("-"));
  const command = COMMANDS.find(({ name }) => name === named)?.name;
  // Without a command the program prints its help as an error.
  const message = error.code === "commander.help" ? "a command is required" : error.message.replace(/^error: /, "");
  return new UsageError(message.trim().replace(/\s*\n\s*/g, " "), command);
}
