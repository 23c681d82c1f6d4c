/** The tools of an assembly as calls name them and as a model is told of them. */

import { UNGRANTABLE } from "../kernel/index.js";
import { resolveToolName } from "../tools/index.js";
import type { ToolDefinition } from "../tools/types.js";
import type { Assembly } from "./types.js";

/** the exact name, else the single `<collection>__<name>`; ungrantable names go to the kernel as they are. */
export function resolveCalledName(
  assembly: Assembly,
  name: string,
): { ok: true; tool: string } | { ok: false; reason: string } {
  if (UNGRANTABLE.includes(name)) return { ok: true, tool: name };
  const resolved = resolveToolName(name, assembly.registered);
  if (resolved.kind === "tool") return { ok: true, tool: resolved.name };
  const candidates = resolved.candidates.length > 0 ? ` Did you mean one of: ${resolved.candidates.join(", ")}?` : "";
  return { ok: false, reason: `"${name}" is not a tool here.${candidates}` };
}

export function toolDefinition(assembly: Assembly, name: string): ToolDefinition {
  const { description, parameters } = assembly.definitions.get(name)!;
  return { name, description, parameters };
}
