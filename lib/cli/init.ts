/** `parkway init`: a new workspace whose `parkway validate` and `parkway test` pass at once (C-74). */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { isSlug } from "../spec/index.js";
import { EXIT, UsageError } from "./errors.js";
import { type Choices, cassetteFile, repliesFile, workspaceFiles } from "./init/template/index.js";
import { readText, refuseWhatIsThere, writeAll } from "./init/write.js";
import { textOption } from "./options.js";
import { quoted, shellCommand } from "./shell.js";
import { icons } from "./style.js";
import { test } from "./test.js";
import type { CommandContext } from "./types.js";

const DEFAULT_NAME = "answer-desk";
const DEFAULT_PURPOSE = "Answers what people write to us; a person approves every answer before it goes out.";
const MAX_PURPOSE_CHARS = 200;

export async function init(context: CommandContext): Promise<number> {
  const { terminal, args, root: given } = context;
  const root = resolve(given, args[0] ?? ".");
  const choices = await choose(context, root);
  const files = workspaceFiles(choices);
  refuseWhatIsThere(root, choices.name, [...Object.keys(files), cassetteFile(choices)]);

  const cassette = await recordedCassette(context, choices, files);
  const all = { ...files, [cassetteFile(choices)]: cassette };
  writeAll(root, all);
  for (const file of Object.keys(all)) terminal.err(`${terminal.style.green(icons.ok)} ${file}`);
  terminal.out(nextSteps(choices, relative(terminal.cwd, root)));
  return EXIT.ok;
}

/** By the options, else by asking, else as usual. @throws {UsageError} */
async function choose(context: CommandContext, root: string): Promise<Choices> {
  const { terminal, options, command } = context;
  const usual = isSlug(basename(root)) && context.args[0] !== undefined ? basename(root) : DEFAULT_NAME;
  const ask = options.yes ? undefined : terminal.ask;
  const answer = async (option: string, question: string, other: string): Promise<string> => {
    const named = textOption(context, option);
    if (named !== undefined || ask === undefined) return named?.trim() ?? other;
    const said = await ask(`${question} ${terminal.style.dim(`(${other})`)} `, context.signal);
    return said.trim() || other;
  };
  const name = await answer("name", "What is the workflow called?", usual);
  if (!isSlug(name)) {
    throw new UsageError(`a workflow's name is lower case letters, digits and dashes; found "${name}"`, command);
  }
  const purpose = (await answer("purpose", "What is it for, in a sentence?", DEFAULT_PURPOSE)).replace(/\s+/g, " ");
  if (purpose === "" || purpose.length > MAX_PURPOSE_CHARS) {
    throw new UsageError(
      `--purpose is one sentence of 1 to ${MAX_PURPOSE_CHARS} characters; found ${purpose.length}`,
      command,
    );
  }
  return { name, title: titleOf(name), purpose };
}

/**
 * The case's cassette, recorded from the replies beside it in a folder aside: its prompts are those of this version, and
 * of this workflow.
 */
async function recordedCassette(
  context: CommandContext,
  choices: Choices,
  files: Record<string, string>,
): Promise<string> {
  const aside = mkdtempSync(join(tmpdir(), "parkway-init-"));
  try {
    writeAll(aside, files);
    const said: string[] = [];
    const exit = await test({
      ...context,
      terminal: {
        ...context.terminal,
        out: (text) => void said.push(text),
        err: (text) => void said.push(text),
        env: { ARCHMAX_MODEL: `script:${repliesFile(choices)}` },
      },
      root: aside,
      args: [choices.name],
      options: { record: true },
    });
    if (exit !== EXIT.ok) throw new Error(`The case of the new workspace fails:\n${said.join("\n")}`);
    return readText(aside, cassetteFile(choices));
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function titleOf(name: string): string {
  const words = name.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function nextSteps(choices: Choices, folder: string): string {
  const { name } = choices;
  const command = (...words: string[]) => `npx ${shellCommand({}, words)}`;
  const message = "Are you open on Sundays? Ada";
  return [
    `${name} is ready${folder === "" ? "" : ` in ${folder}`}. Next:`,
    "",
    ...(folder === "" ? [] : [`  cd ${quoted(folder)}`]),
    `  ${command("validate")}`,
    `  ${command("test")}`,
    `  ${command("graph", "--svg", `${name}.svg`)}`,
    "",
    "Without a model:",
    `  ARCHMAX_MODEL=script:${repliesFile(choices)} ${command("run", message, "--session", "ada")}`,
    `  ${command("decide", "ada", "--to", "file")}`,
    "With one: copy .env.example to .env and fill it in.",
  ].join("\n");
}
