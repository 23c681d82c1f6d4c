/** `write_todos`: the definition and the check; the turn keeps the list. */
import { z } from "zod";
import type { Todo } from "../session/state.js";
import { type ParsedArguments, parametersOf, parseArguments } from "./arguments.js";
import type { ToolDefinition } from "./types.js";

const schema = z.object({
  todos: z
    .array(
      z.object({
        content: z.string().min(1, "must not be empty"),
        status: z.enum(["pending", "in_progress", "completed"]),
      }),
    )
    .describe("The whole list; it replaces the one before."),
});

export const writeTodosDefinition: ToolDefinition = {
  name: "write_todos",
  description:
    "Keeps your list of things to do, across turns. Give the whole list each time, with the status of every item. " +
    "Call it at most once in a message.",
  parameters: parametersOf(schema),
};

export function parseTodos(args: Record<string, unknown>): ParsedArguments<{ todos: Todo[] }> {
  return parseArguments(schema, args);
}
