/** The pages of docs/reference, made from what they describe. */
import { COMMANDS, type CommandSpec, type OptionSpec, ROOT } from "../../lib/cli/commands.js";

const NOTE = "<!-- Made by `npx vitest run --project unit test/docs -u`; not to be edited. -->";

/** docs/reference/command-line.md, from the table that the command itself parses with (C-57). */
export function commandLinePage(): string {
  return [
    "# Command line",
    "",
    NOTE,
    "",
    "`parkway <command> [arguments] [options]`. Results go to stdout, everything else to stderr.",
    "",
    "| exit | |",
    "| --- | --- |",
    "| 0 | the command did its job; a parked session counts |",
    "| 1 | a failure: a failed or rejected session, a failed case, an invalid workflow, a refused call |",
    "| 2 | a usage error; nothing was done |",
    "| 130 | Ctrl-C |",
    "",
    ...table(["option of every command", ""], [optionRow(ROOT), ["`--help`, `-h`", "print help"]]),
    "",
    ...COMMANDS.flatMap(commandSection),
  ].join("\n");
}

function commandSection({ name, summary, arguments: words, options }: CommandSpec): string[] {
  return [
    `## ${name}`,
    "",
    `\`${["parkway", name, ...words].join(" ")}\`: ${summary}.`,
    "",
    ...(options.length > 0 ? [...table(["option", ""], options.map(optionRow)), ""] : []),
  ];
}

function optionRow({ flags, text, required, repeatable }: OptionSpec): string[] {
  const marks = [required ? "required" : "", repeatable ? "may be repeated" : ""].filter((mark) => mark !== "");
  return [`\`${flags}\``, marks.length > 0 ? `${text} (${marks.join(", ")})` : text];
}

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  required?: string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  minimum?: number;
  maximum?: number;
  description?: string;
}

/** docs/reference/workflow-file.md, from the JSON Schema that editors read. */
export function workflowFilePage(schema: Schema): string {
  return [
    "# Keys of workflow.yaml",
    "",
    NOTE,
    "",
    "Every other key is an error that names it. What each key means, and what is checked beyond its shape, is in the contract:",
    "[workflow-yaml.md](../contract/workflow-yaml.md).",
    "",
    ...table(["key", "value", "meaning"], rowsOf(schema, "")),
    "",
  ].join("\n");
}

function rowsOf(schema: Schema, prefix: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const path = prefix === "" ? key : `${prefix}.${key}`;
    const must = schema.required?.includes(key) ? " (required)" : "";
    return [[`\`${path}\``, `${shapeOf(value)}${must}`, value.description ?? ""], ...childRows(value, path)];
  });
}

function childRows(schema: Schema, path: string): string[][] {
  const own = rowsOf(schema, path);
  const list = schema.items ? alternatives(schema.items).flatMap((item) => rowsOf(item, `${path}[]`)) : [];
  const map = schema.additionalProperties;
  const values = typeof map === "object" ? alternatives(map).flatMap((value) => rowsOf(value, `${path}.<name>`)) : [];
  return [...own, ...list, ...values, ...(schema.anyOf ?? []).flatMap((part) => childRows(part, path))];
}

function alternatives(schema: Schema): Schema[] {
  return schema.anyOf ?? [schema];
}

function shapeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.anyOf) return [...new Set(schema.anyOf.map(shapeOf))].join(" or ");
  if (schema.items) return `list of ${shapeOf(schema.items)}`;
  if (schema.type === "object") return typeof schema.additionalProperties === "object" ? "mapping by name" : "mapping";
  const bounds = [
    schema.minimum !== undefined ? `from ${schema.minimum}` : "",
    schema.maximum !== undefined && schema.maximum < Number.MAX_SAFE_INTEGER ? `to ${schema.maximum}` : "",
  ].filter((bound) => bound !== "");
  const type = Array.isArray(schema.type) ? schema.type.join(" or ") : (schema.type ?? "anything");
  return [type, ...bounds].join(" ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${" --- |".repeat(head.length)}`, ...rows.map(line)];
}
